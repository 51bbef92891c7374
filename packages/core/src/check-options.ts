import type { z } from "zod";
import { ConfigError, type ConfigIssue, received } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { valueAt } from "./value-at.ts";

/**
 * Checks options against a strict schema and throws a `ConfigError` that names every option that does not fit, what
 * was expected and what arrived. Names no option has are errors, with the name that was meant, or where it belongs, if
 * that can be told. Answers the values that were checked, each of them read once: what is read again may be another
 * value. `at` is what they are called where they are no options, such as `header(name)`.
 */
export function checkOptions<Options>(schema: z.ZodType, options: Options, at = ""): Options {
  const result = schema.safeParse(options);
  if (result.success) return result.data as Options;
  throw new ConfigError(result.error.issues.flatMap((i) => explain(i, options, schema, at)));
}

function explain(
  issue: z.core.$ZodIssue,
  options: unknown,
  schema: z.ZodType,
  at: string,
): ConfigIssue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: pathOf(at, [...issue.path, key]),
      expected: `a known option${hint(key, issue.path, schema)}`,
      received: `${received(valueAt(options, [...issue.path, key]))} under this name`,
    }));
  }
  const expected = issue.code === "custom" ? issue.message : expectedOf(issue);
  return [
    { path: pathOf(at, issue.path), expected, received: received(valueAt(options, issue.path)) },
  ];
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type")
    return issue.expected === "object" ? "an object" : `an ${issue.expected}`;
  if (issue.code === "too_small") return `at least ${issue.minimum} of them`;
  return issue.message;
}

function pathOf(at: string, path: readonly PropertyKey[]): string {
  let text = at;
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  }
  return text;
}

function namesIn(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let inner: unknown = schema;
  for (const part of path) {
    const def = (
      inner as { def: { shape?: Record<string, unknown>; element?: unknown; items?: unknown[] } }
    ).def;
    inner = def.element ?? def.items?.[Number(part)] ?? def.shape?.[String(part)];
    while ((inner as { def?: { innerType?: unknown } })?.def?.innerType) {
      inner = (inner as { def: { innerType: unknown } }).def.innerType;
    }
  }
  return Object.keys((inner as { shape?: object })?.shape ?? {});
}

function hint(name: string, path: readonly PropertyKey[], schema: z.ZodType): string {
  const outer = namesIn(schema, []);
  if (path.length > 0 && outer.includes(name)) return ` here (it stands beside ${String(path[0])})`;
  const list = outer.find((one) => namesIn(schema, [one, 0]).includes(name));
  if (path.length === 0 && list) return ` here (it stands in each of ${list})`;
  const meant = nearest(name, namesIn(schema, path));
  return meant === "" ? "" : ` (did you mean ${meant}?)`;
}
