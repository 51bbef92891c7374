import { z } from "zod";
import { received } from "../errors.ts";
import { isWhole, numberHint } from "../whole.ts";
import { orMeant } from "./or-meant.ts";

/**
 * Makes the schema of a value that is checked by itself, and says what was expected of it; `hint` says more of what does
 * not fit, or "".
 */
export function expecting(
  expected: string,
  fits: (value: unknown) => boolean,
  hint: (value: unknown) => string = () => "",
): z.ZodType {
  return z.custom(fits, { error: ({ input }) => expected + hint(input) });
}

/** Does the same for a value that may be a number: of a string that is one, it says how to make a number of it. */
export function expectingNumber(expected: string, fits: (value: unknown) => boolean): z.ZodType {
  return expecting(expected, fits, numberHint);
}

/** Makes the schema of one text out of these. */
export function oneOf(...names: readonly string[]): z.ZodType {
  const quoted = names.map((name) => JSON.stringify(name));
  return z.custom((value) => names.includes(value as string), {
    error: orMeant(`one of ${quoted.join(", ")}`, names),
  });
}

export const aFunction: z.ZodType = expecting("a function", isFunction);

export const trueOrFalse: z.ZodType = expecting("true or false", (v) => typeof v === "boolean");

export const wholeFromOne: z.ZodType = expectingNumber("a whole number of at least 1", isFromOne);

export const milliseconds: z.ZodType = expectingNumber(
  "whole milliseconds of at least 1",
  isFromOne,
);

export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === "function";
}

function isFromOne(value: unknown): boolean {
  return isWhole(value) && value >= 1;
}

/** Says of what could be an entry of a list that it has to stand in one; "" of anything else. */
export function listHint(value: unknown, fits: (entry: unknown) => boolean): string {
  return fits(value) ? ` (in a list: [${received(value)}])` : "";
}
