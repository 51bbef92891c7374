import { z } from "zod";
import { ConfigError } from "../../errors.ts";
import { checkOptions } from "../../options/check-options.ts";

/**
 * Answers what is said to be expected where an option in code, of this name and schema, has a value that does not fit:
 * a file says the same of it. "" where it fits.
 */
export function saidInCode(name: string, schema: z.ZodType | undefined, value: unknown): string {
  try {
    checkOptions(z.strictObject({ [name]: schema! }), { [name]: value });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.find(({ path }) => path === name)?.expected ?? "";
  }
  return "";
}

/** Answers only what is said there more of this value than of null, such as ` (did you mean "1m"?)`. */
export function hintInCode(name: string, schema: z.ZodType | undefined, value: unknown): string {
  const usual = saidInCode(name, schema, null);
  const said = saidInCode(name, schema, value);
  return said.startsWith(usual) ? said.slice(usual.length) : "";
}

/** Answers what is said in code of a name that is none of the known ones. */
export function unknownInCode(name: string, known: readonly string[]): string {
  const shape = Object.fromEntries(known.map((one) => [one, z.unknown().optional()]));
  try {
    checkOptions(z.strictObject(shape), { [name]: true });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues[0]!.expected;
  }
  return "a known option";
}
