import type { z } from "zod";
import { nearest } from "../../options/nearest.ts";
import { deepest } from "./plain-problems.ts";

/** What may stand in braces in the texts of a body, to be filled in. */
export const holes = ["retryAfter", "limit", "remaining", "policy"] as const;

const expected = "a string in which {retryAfter}, {limit}, {remaining} and {policy} are filled in";

/** Tells of texts anywhere in a value whose braces mean one of the holes and are none: nothing would be filled in. */
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
    // deeper ones are refused for that
    if (path.length > deepest) return;
    done.add(inner);
    for (const [name, part] of Object.entries(inner)) {
      walk(part, [...path, Array.isArray(inner) ? Number(name) : name]);
    }
  }

  walk(value, []);
}

/** Whether a string has a hole in it. */
export function hasHole(text: string): boolean {
  return holes.some((name) => text.includes(`{${name}}`));
}

/** Says of a string which hole was meant; "" where none is misspelt. */
function holeHint(text: string): string {
  for (const [, before = "", dollar = "", name = ""] of text.matchAll(
    /(\{?)(\$?)\{([A-Za-z_-]{1,40})\}/g,
  )) {
    const known = (holes as readonly string[]).includes(name);
    // an amount of dollars is none of a template of JavaScript
    if (known && before === "" && (dollar === "" || name === "limit" || name === "remaining"))
      continue;
    const meant = known ? name : meantIn(name);
    if (meant !== "") return ` (did you mean {${meant}}?)`;
  }
  return "";
}

/** Only another spelling: any other word in braces may be meant as it stands, and short ones are like many. */
function meantIn(name: string): string {
  const letters = name.replaceAll(/[_-]/g, "").toLowerCase();
  const same = holes.find((one) => one.toLowerCase() === letters);
  if (same !== undefined) return same;
  const near = letters.length < 8 ? "" : nearest(letters, holes);
  // what limits are called elsewhere begins otherwise
  return near[0] === letters[0] ? near : "";
}
