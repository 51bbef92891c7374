import { z } from "zod";
import { headerDialectField } from "./header-dialect.ts";
import { headerDialects } from "./header-dialects.ts";
import { headerStyles } from "./header-style.ts";

const names = [...Object.keys(headerStyles), ...Object.keys(headerDialects)];
const choice = `one of ${names.map((name) => JSON.stringify(name)).join(", ")}, or a dialect`;

/** The schema of the option `headers`; what entries cannot share an answer, `headerIssues` tells. */
export const headersField: z.ZodType = z.unknown().transform((value, { addIssue }) => {
  if (value === false) return value;
  const list = Array.isArray(value) ? [...(value as unknown[])] : [value];
  if (list.length === 0)
    addIssue({ code: "custom", message: `${choice}, a list of them, or false` });
  const checked = list.map((entry, i) => {
    const path = Array.isArray(value) ? [i] : [];
    if (typeof entry === "string" && names.includes(entry)) return entry;
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      const others = path.length === 0 ? ", a list of them, or false" : "";
      addIssue({ code: "custom", message: choice + others, path });
      return entry;
    }
    const result = headerDialectField.safeParse(entry);
    if (result.success) return result.data;
    for (const [message, inner] of result.error.issues.flatMap((issue) => told(issue, entry))) {
      addIssue({ code: "custom", message, path: [...path, ...inner] });
    }
    return entry;
  });
  return Array.isArray(value) ? checked : checked[0];
});

type Told = readonly [message: string, path: readonly PropertyKey[]];

/** Tells an issue in the words of options; of a header that is an object, what in the object is wrong. */
function told(issue: z.core.$ZodIssue, value: unknown): Told[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ["a known option of a dialect", [...issue.path, key]]);
  }
  if (issue.code === "invalid_union") {
    const inner = issue.path.reduce<unknown>(
      (o, part) => (o as Record<PropertyKey, unknown>)[part],
      value,
    );
    const branch = issue.errors[1];
    if (branch && typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      return branch
        .flatMap((one) => told(one, inner))
        .map(([message, path]) => [message, [...issue.path, ...path]]);
    }
  }
  if (issue.code === "invalid_type") return [[`an ${issue.expected}`, issue.path]];
  return [[issue.message, issue.path]];
}
