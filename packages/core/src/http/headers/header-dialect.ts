import type { RetryAfterRule } from "./retry-after.ts";
import type { TimeFormat } from "./time-format.ts";

/** One header of a dialect. */
export interface DialectHeader {
  /** Behind the dialect's prefix. With `{policy}` in one of them there is one such header for each policy. */
  readonly name: string;
  /** Default: `"each"` with `{policy}` in the name, else `"binding"`. `"each"` without it writes a list. */
  readonly of?: "binding" | "each" | undefined;
  /** `"refused"`: only of policies that refuse. Default `"always"`. */
  readonly when?: "always" | "refused" | undefined;
}

/** One header that tells when a key is as good as never used. */
export interface DialectTime extends DialectHeader {
  /** Default: as the header's part of the dialect says, in `fields` `"epoch"`. */
  readonly as?: TimeFormat | undefined;
  /** Of a second, 0 to 3. Default 0, of a duration 3. */
  readonly decimals?: number | undefined;
}

/** One header whose value is a template, with any of `{limit}`, `{remaining}`, `{used}`, `{window}`, `{policy}`, `{key}` and `{reset}`. */
export interface DialectValue extends DialectTime {
  /** Left out only with `byPolicy`: then there is no header of other policies. */
  readonly value?: string | undefined;
  /** Templates for policies of these names, in place of `value`. */
  readonly byPolicy?: Readonly<Record<string, string>> | undefined;
}

/**
 * A way to tell a client about its limits, as plain data. What is a string alone is the name of a header.
 *
 * No time that it tells is too early, and no amount is told that is not there: seconds are rounded up at their last
 * digit, amounts down.
 */
export interface HeaderDialect {
  /** Put in front of every name. Default `""`. */
  readonly prefix?: string | undefined;
  /** Units per window. */
  readonly limit?: string | DialectHeader | undefined;
  /** Units that are left. */
  readonly remaining?: string | DialectHeader | undefined;
  /** The limit without what remains. */
  readonly used?: string | DialectHeader | undefined;
  /** By default `as: "epoch"`: seconds since 1970. */
  readonly reset?: string | DialectTime | undefined;
  /** By default `as: "delta"`: seconds from now. */
  readonly resetAfter?: string | DialectTime | undefined;
  /** Whole seconds. */
  readonly window?: string | DialectHeader | undefined;
  /** The name of the policy. */
  readonly resource?: string | DialectHeader | undefined;
  /** Any other headers. */
  readonly fields?: readonly DialectValue[] | undefined;
  /** Seconds with so many digits behind the point, 0 to 3, or `false`: none. Default: whole seconds. */
  readonly retryAfter?: RetryAfterRule | undefined;
}

/** The parts of a dialect that are headers of their own, in the order in which they are written. */
export const roles = [
  "limit",
  "remaining",
  "used",
  "reset",
  "resetAfter",
  "window",
  "resource",
] as const;

/** Lists the headers of a dialect in order, each as its template and with the path where it stands. */
export function headersOf(
  dialect: HeaderDialect,
): (readonly [header: DialectValue, path: readonly (string | number)[]])[] {
  const found: (readonly [DialectValue, readonly (string | number)[]])[] = [];
  for (const role of roles) {
    const given = dialect[role];
    if (given === undefined) continue;
    const header = typeof given === "string" ? { name: given } : given;
    found.push([{ ...standards[role], ...header }, [role]]);
  }
  for (const [i, header] of (dialect.fields ?? []).entries()) found.push([header, ["fields", i]]);
  return found;
}

const standards: Readonly<Record<(typeof roles)[number], Omit<DialectValue, "name">>> = {
  limit: { value: "{limit}" },
  remaining: { value: "{remaining}" },
  used: { value: "{used}" },
  reset: { value: "{reset}", as: "epoch" },
  resetAfter: { value: "{reset}", as: "delta" },
  window: { value: "{window}" },
  resource: { value: "{policy}" },
};
