import { z } from "zod";
import { received } from "../errors.ts";
import { isWhole, numberHint } from "../whole.ts";
import { orMeant } from "./or-meant.ts";

/** Creates a schema from a predicate; errors say what was expected, followed by the hint for the value, or "". */
export function expecting(
  expected: string,
  fits: (value: unknown) => boolean,
  hint: (value: unknown) => string = () => "",
): z.ZodType {
  return z.custom(fits, { error: ({ input }) => expected + hint(input) });
}

/** Does the same for a value that may be a number; for a numeric string the error says how to convert it. */
export function expectingNumber(expected: string, fits: (value: unknown) => boolean): z.ZodType {
  return expecting(expected, fits, numberHint);
}

/** Creates the schema of one of these strings. */
export function oneOf(...names: readonly string[]): z.ZodType {
  const quoted = names.map((name) => JSON.stringify(name));
  return z.custom((value) => names.includes(value as string), {
    error: orMeant(`one of ${quoted.join(", ")}`, names),
  });
}

/** The schema of a function. */
export const aFunction: z.ZodType = expecting("a function", isFunction);

/** The schema of a boolean. */
export const trueOrFalse: z.ZodType = expecting("true or false", (v) => typeof v === "boolean");

/** The schema of a whole number of at least 1. */
export const wholeFromOne: z.ZodType = expectingNumber("a whole number of at least 1", isFromOne);

/** The schema of whole milliseconds of at least 1. */
export const milliseconds: z.ZodType = expectingNumber(
  "whole milliseconds of at least 1",
  isFromOne,
);

/** The schema of a part of something: a number above 0 and up to 1. */
export const partOfOne: z.ZodType = expecting(
  "a number above 0 and up to 1",
  (v) => typeof v === "number" && v > 0 && v <= 1,
);

/** Whether a value is a function. */
export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === "function";
}

function isFromOne(value: unknown): boolean {
  return isWhole(value) && value >= 1;
}

/** Returns a hint that a valid list entry has to be in a list; "" for anything else. */
export function listHint(value: unknown, fits: (entry: unknown) => boolean): string {
  return fits(value) ? ` (in a list: [${received(value)}])` : "";
}
