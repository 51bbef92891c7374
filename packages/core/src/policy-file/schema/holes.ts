import type { z } from "zod";
import { nearest } from "../../options/nearest.ts";
import { deepest } from "./plain-problems.ts";

/** Placeholders in braces that are filled in within the strings of a body. */
export const holes = ["retryAfter", "limit", "remaining", "policy"] as const;

const expected = "a string in which {retryAfter}, {limit}, {remaining} and {policy} are filled in";

/** Reports strings anywhere in a value with misspelt placeholders, which would not be filled in. */
export function checkHoles(value: unknown, context: z.RefinementCtx): void {
  const done = new Set<object>();

  function walk(inner: unknown, path: readonly PropertyKey[]): void {
    if (typeof inner === "string") {
      const hint = holeHint(inner);
      if (hint === "") return;
      const message = expected + hint;
      context.addIssue({ code: "custom", message, path: [...path] });
      return;
    }
    if (typeof inner !== "object" || inner === null || done.has(inner)) return;
    // Deeper values are refused anyway.
    if (path.length > deepest) return;
    done.add(inner);
    for (const [name, part] of Object.entries(inner)) {
      walk(part, [...path, Array.isArray(inner) ? Number(name) : name]);
    }
  }

  walk(value, []);
}

/** Whether a string contains a placeholder. */
export function hasHole(text: string): boolean {
  return holes.some((name) => text.includes(`{${name}}`));
}

/** Returns a hint at the intended placeholder; "" when none is misspelt. */
function holeHint(text: string): string {
  for (const [, before = "", dollar = "", name = ""] of text.matchAll(
    /(\{?)(\$?)\{([A-Za-z_-]{1,40})\}/g,
  )) {
    const known = (holes as readonly string[]).includes(name);
    // An amount in dollars is not a JavaScript template.
    if (known && before === "" && (dollar === "" || name === "limit" || name === "remaining"))
      continue;
    const meant = known ? name : meantIn(name);
    if (meant !== "") return ` (did you mean {${meant}}?)`;
  }
  return "";
}

/** Accepts only different spellings: any other word in braces may be literal, and short words resemble many. */
function meantIn(name: string): string {
  const letters = name.replaceAll(/[_-]/g, "").toLowerCase();
  const same = holes.find((one) => one.toLowerCase() === letters);
  if (same !== undefined) return same;
  const near = letters.length < 8 ? "" : nearest(letters, holes);
  // Names of limits elsewhere begin with other letters.
  return near[0] === letters[0] ? near : "";
}
