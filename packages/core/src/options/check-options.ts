import type { z } from "zod";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { alternatives } from "./alternatives.ts";
import { withoutLeftOut } from "./left-out.ts";
import { nearestInCode } from "./nearest.ts";
import { pathText } from "./path-text.ts";
import { valueAt } from "./value-at.ts";

/**
 * Validates options against a strict schema. Throws a `ConfigError` listing each invalid or unknown option, what was
 * expected and what was received, with the intended name or place if it can be guessed. Returns the validated values,
 * each read only once, because a second read may differ. An undefined value counts as absent, whatever its name. `at`
 * names a value that is not an options object, such as `header(name)`; `elsewhere` returns a hint for a name that is an
 * option in another context, or "".
 */
export function checkOptions<Options>(
  schema: z.ZodType,
  options: Options,
  at = "",
  elsewhere: (name: string) => string = () => "",
): Options {
  // A promise would pass if every option is optional.
  if (options instanceof Promise) {
    throw new ConfigError([{ path: at, expected: "an object", received: received(options) }]);
  }
  const result = schema.safeParse(options);
  if (result.success) return result.data as Options;
  const rest = withoutLeftOut(result.error.issues, options);
  if (rest !== undefined) return checkOptions(schema, rest, at, elsewhere);
  const hints: Hints = { schema, elsewhere };
  const issues = result.error.issues.map((issue) => explain(issue, options, hints, at));
  throw new ConfigError(withoutExplained(issues.flat(), options));
}

/** Throws a `ConfigError` for anything but an object of options; `at` names it, and the message shows the example. */
export function checkIsOptions(options: unknown, at: string, example: string): void {
  const plain = typeof options === "object" && options !== null && !(Symbol.iterator in options);
  if (plain && !(options instanceof Promise)) return;
  const expected = `an object of options such as ${example}`;
  throw new ConfigError([{ path: at, expected, received: received(options) }]);
}

/** Drops issues about options that are missing only because another name was used. */
function withoutExplained(issues: readonly ConfigIssue[], options: unknown): ConfigIssue[] {
  const meant = issues.map(({ expected }) => /\(did you mean ([\w-]+)/.exec(expected)?.[1]);
  return issues.filter(
    ({ path }) => !(meant.includes(path) && valueAt(options, [path]) === undefined),
  );
}

/** Returns the name of a list whose members have the option. */
function listOf(name: string, schema: z.ZodType): string | undefined {
  return namesIn(schema, []).find((one) => namesIn(schema, [one, 0]).includes(name));
}

interface Hints {
  readonly schema: z.ZodType;
  elsewhere(name: string): string;
}

function explain(
  issue: z.core.$ZodIssue,
  options: unknown,
  hints: Hints,
  at: string,
): ConfigIssue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: pathText(at, [...issue.path, key]),
      expected: `a known option${hint(key, issue.path, hints)}`,
      received: `${received(valueAt(options, [...issue.path, key]))} under this name`,
    }));
  }
  const expected = issue.code === "custom" ? issue.message : expectedOf(issue);
  return [
    { path: pathText(at, issue.path), expected, received: received(valueAt(options, issue.path)) },
  ];
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    const what = issue.expected === "object" ? "an object" : `an ${issue.expected}`;
    const example = examples[String(issue.path.at(issue.path.at(-2) === "tiers" ? -2 : -1))];
    return example === undefined ? what : `${what} such as ${example}`;
  }
  if (issue.code === "too_small") return `at least ${issue.minimum} of them`;
  return issue.message;
}

/** Examples of objects and lists, by option name; for a single tier by the name of all. */
const examples: Readonly<Record<string, string>> = {
  ban: '{ for: "15m" }',
  tiers: "{ limit: 1000 }",
  policies: '[{ name: "minute", limit: 100, window: "1m" }]',
  rules: '[{ name: "api", match: "/api/*", limit: 100, window: "1m" }]',
};

/** The inspected parts of a schema. */
interface Inner {
  readonly shape?: object;
  readonly def: {
    readonly innerType?: Inner;
    readonly out?: Inner;
    readonly element?: Inner;
    readonly items?: readonly Inner[];
    readonly valueType?: Inner;
    readonly shape?: Readonly<Record<string, Inner>>;
  };
}

/** Returns the option names at a path; empty when unknown. */
function namesIn(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let inner = unwrapped(schema as unknown as Inner);
  for (const part of path) {
    const { element, items, valueType, shape } = inner?.def ?? {};
    inner = unwrapped(element ?? items?.[Number(part)] ?? valueType ?? shape?.[String(part)]);
  }
  return Object.keys(inner?.shape ?? {});
}

function unwrapped(schema: Inner | undefined): Inner | undefined {
  const inner = schema?.def.innerType ?? schema?.def.out;
  return inner ? unwrapped(inner) : schema;
}

/** Longer lists of names are too long for a message. */
const maxListedNames = 8;

function hint(name: string, path: readonly PropertyKey[], { schema, elsewhere }: Hints): string {
  const outer = namesIn(schema, []);
  if (path.length > 0 && outer.includes(name)) return ` here (it stands beside ${String(path[0])})`;
  const list = listOf(name, schema);
  if (path.length === 0 && list) return ` here (it stands in each of ${list})`;
  const known = namesIn(schema, path);
  const meant = nearestInCode(name, known);
  if (meant !== "") return ` (did you mean ${meant}?)`;
  const there = typeof (path.at(-1) ?? 0) === "number" ? elsewhere(name) : "";
  if (there !== "") return there;
  if (known.length === 0 || known.length > maxListedNames) return "";
  return `: ${alternatives(known)}`;
}
