import { z } from "zod";
import { ConfigError } from "../../errors.ts";
import { checkOptions } from "../../options/check-options.ts";

/**
 * Returns the expectation that the option of this name and schema reports in code for an invalid value, so that files
 * report the same; "" for a valid one.
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

/** Returns only what is reported for this value in addition to that for null, such as ` (did you mean "1m"?)`. */
export function hintInCode(name: string, schema: z.ZodType | undefined, value: unknown): string {
  const usual = saidInCode(name, schema, null);
  const said = saidInCode(name, schema, value);
  return said.startsWith(usual) ? said.slice(usual.length) : "";
}

/** Returns what code reports for an unknown name. */
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
