import { sharedShape } from "../../options/limiter-options.ts";
import { nearest, nearestInCode } from "../../options/nearest.ts";
import { onlyOverHttp } from "../../options/over-http.ts";
import { optionNames } from "./policy-file.ts";
import { unknownInCode } from "./said-in-code.ts";

/** What is reported for an unknown name. */
export interface ToldOfName {
  readonly expected: string;
  /** The intended name, if clear. */
  readonly meant?: string | undefined;
}

/** Where an unknown name is. */
interface Place {
  /** The known names there. */
  readonly known: readonly string[];
  readonly path: readonly PropertyKey[];
  /** The whole value. */
  readonly value: unknown;
  readonly http: boolean;
}

/** Returns what to report for an unknown name: the intended one, or where it belongs, as for options in code. */
export function unknownName(name: string, { known, path, value, http }: Place): ToldOfName {
  const part = path.filter((one) => typeof one === "string").join(".");
  const option = (hint: string): ToldOfName => ({ expected: `a known option${hint}` });
  const list = ["rules", "policies"].find((one) => one in (value as object));
  if (part === "" && list !== undefined && optionNames[""]!.includes(name)) {
    return option(` here (it stands in each of ${list})`);
  }
  if (part in optionNames) {
    if (!optionNames[part]!.includes(name) && optionNames[""]!.includes(name)) {
      return option(` here (it stands beside ${String(path[0])})`);
    }
    if (inCode.includes(name)) return option(" here (it stands in code, beside what is read)");
  }
  const meant = optionNames[part]?.includes(name) ? "" : nearest(name, optionNames[part] ?? known);
  if (!http && meant !== "") {
    const only = onlyOverHttp(name);
    if (only !== "") return option(only);
  }
  if (meant !== "")
    return { ...option(` (did you mean ${meant}?)`), meant: /^[\w-]+/.exec(meant)?.[0] };
  const other = part in optionNames ? nearestInCode(name, inCode) : "";
  if (other !== "") return option(` here (in code: ${other})`);
  const expected = unknownInCode(name, known);
  // A name of another kind of rule, when there are too many names to list.
  const isElsewhere = optionNames[part]?.includes(name) && expected === option("").expected;
  return isElsewhere ? option(" here") : { expected };
}

/** Options that files cannot have. */
const inCode = [...Object.keys(sharedShape), "functions"].filter(
  (name) => !optionNames[""]!.includes(name),
);
