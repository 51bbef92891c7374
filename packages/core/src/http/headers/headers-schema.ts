import { z } from "zod";
import { nearestInCode } from "../../options/nearest.ts";
import { orMeant } from "../../options/or-meant.ts";
import { dialectParts, headerDialectSchema, headerParts } from "./header-dialect-schema.ts";
import { headerDialects } from "./header-dialects.ts";
import { headerStyles } from "./header-style.ts";

const names = [...Object.keys(headerStyles), ...Object.keys(headerDialects)];
const choice = `one of ${names.map((name) => JSON.stringify(name)).join(", ")}`;
const anyChoice = `${choice}, a dialect, a list of them, or false`;

/** The schema of the option `headers`; `headerIssues` finds entries that cannot share a response. */
export const headersSchema: z.ZodType = z.unknown().transform((value, { addIssue }) => {
  if (value === false) return value;
  const list = Array.isArray(value) ? [...(value as unknown[])] : [value];
  if (list.length === 0) addIssue({ code: "custom", message: anyChoice });
  const checked = list.map((entry, i) => {
    const path = Array.isArray(value) ? [i] : [];
    if (typeof entry === "string" && names.includes(entry)) return entry;
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      const expected = path.length === 0 ? anyChoice : `${choice}, or a dialect`;
      const message = orMeant(expected, names)({ input: entry });
      addIssue({ code: "custom", message, path });
      return entry;
    }
    const result = headerDialectSchema.safeParse(entry);
    if (result.success) return result.data;
    for (const [message, inner] of result.error.issues.flatMap((issue) => told(issue, entry))) {
      addIssue({ code: "custom", message, path: [...path, ...inner] });
    }
    return entry;
  });
  return Array.isArray(value) ? checked : checked[0];
});

type Told = readonly [message: string, path: readonly PropertyKey[]];

/** Rewrites an issue in terms of options; for a header that is an object, what is wrong in the object. */
function told(issue: z.core.$ZodIssue, value: unknown, within = 0): Told[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    const known = within + path.length === 0 ? dialectParts : headerParts;
    return issue.keys.map((key) => [
      `a known option${hint(key, nearestInCode(key, known))}`,
      [...path, key],
    ]);
  }
  if (issue.code === "invalid_union") {
    const inner = path.reduce((one, part) => (one as Record<PropertyKey, unknown>)[part], value);
    const branch = issue.errors[1];
    if (branch && typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      const deeper = branch.flatMap((one) => told(one, inner, within + path.length));
      return deeper.map(([message, rest]) => [message, [...path, ...rest]]);
    }
  }
  return [[issue.code === "invalid_type" ? `an ${issue.expected}` : issue.message, path]];
}

function hint(name: string, meant: string): string {
  return meant === "" || meant === name ? "" : ` (did you mean ${meant}?)`;
}
