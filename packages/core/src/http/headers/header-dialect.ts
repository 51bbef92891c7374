import type { RetryAfterRule } from "./retry-after.ts";
import type { TimeFormat } from "./time-format.ts";

/** A header of a dialect. */
export interface DialectHeader {
  /** Appended to the dialect's prefix. With `{policy}` in either there is one such header for each policy. */
  readonly name: string;
  /** Default: `"each"` with `{policy}` in the name, else `"binding"`. `"each"` without it writes a list. */
  readonly of?: "binding" | "each" | undefined;
  /** `"refused"`: only for policies that refuse. Default `"always"`. */
  readonly when?: "always" | "refused" | undefined;
}

/** A header that says when a key will be as good as never used. */
export interface DialectTime extends DialectHeader {
  /** Default: that of the dialect's property; in `fields` `"epoch"`. */
  readonly as?: TimeFormat | undefined;
  /** Decimals of a second, 0 to 3. Default 0, for a duration 3. */
  readonly decimals?: number | undefined;
}

/**
 * A header whose value is a template, with any of `{limit}`, `{remaining}`, `{used}`, `{window}`, `{policy}`, `{key}`
 * and `{reset}`.
 */
export interface DialectValue extends DialectTime {
  /** May be left out only with `byPolicy`: other policies have no such header then. */
  readonly value?: string | undefined;
  /** Templates for policies of these names, instead of `value`. */
  readonly byPolicy?: Readonly<Record<string, string>> | undefined;
}

/**
 * A way to report limits to clients, as plain data. A plain string is the name of a header.
 *
 * It never reports a time that is too early, or an amount that is not available: seconds are rounded up at their last
 * digit, amounts down.
 */
export interface HeaderDialect {
  /** Prepended to every name. Default `""`. */
  readonly prefix?: string | undefined;
  /** Units per window. */
  readonly limit?: string | DialectHeader | undefined;
  /** Units left. */
  readonly remaining?: string | DialectHeader | undefined;
  /** The limit minus what remains. */
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
  /** Seconds with that many decimals, 0 to 3, or `false`: no header. Default: whole seconds. */
  readonly retryAfter?: RetryAfterRule | undefined;
}

/** The properties of a dialect that are headers of their own, in the order in which they are written. */
export const roles = [
  "limit",
  "remaining",
  "used",
  "reset",
  "resetAfter",
  "window",
  "resource",
] as const;

/** Returns the headers of a dialect in order, each as a template and with its path in the dialect. */
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
