import type { z } from "zod";
import { expecting, isFunction } from "../expecting.ts";
import { isWhole } from "../whole.ts";

/** The schema of the status of a refusal. */
export const statusField: z.ZodType = expecting(
  "an HTTP status from 400 to 599",
  (v) => isWhole(v) && v >= 400 && v <= 599,
);

/** The schema of the body of a refusal. */
export const bodyField: z.ZodType = expecting(
  '"json", "problem" or a function',
  (v) => v === "json" || v === "problem" || isFunction(v),
  (v) => (typeof v === "string" || isObject(v) ? " (of an answer of your own: () => …)" : ""),
);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
