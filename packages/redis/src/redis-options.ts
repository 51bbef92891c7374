import { type Clock, ConfigError, type ConfigIssue, received } from "@spillway/core";

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of the store's keys, at most 100 printable ASCII characters without spaces. Default `"rl:"`. */
  readonly prefix?: string | undefined;
  /** Milliseconds that Redis has to answer, 1 to 60 000. Default 100. */
  readonly deadline?: number | undefined;
  /** Epoch milliseconds, used instead of the server's clock in tests. */
  readonly clock?: Clock | undefined;
}

interface Rule {
  readonly expected: string;
  fits(value: unknown): boolean;
}

const rules: Readonly<Record<keyof RedisStoreOptions, Rule>> = {
  prefix: {
    expected: "at most 100 printable ASCII characters without spaces",
    fits: (value) => typeof value === "string" && /^[\x21-\x7e]{0,100}$/.test(value),
  },
  deadline: {
    expected: "whole milliseconds from 1 to 60000",
    fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 60_000,
  },
  clock: { expected: "a function", fits: (value) => typeof value === "function" },
};

/** Returns the validated options, each read only once. Throws a `ConfigError` that names each invalid option. */
export function checkRedisOptions(options: unknown): RedisStoreOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ConfigError([
      { path: "", expected: 'an object such as { prefix: "rl:" }', received: received(options) },
    ]);
  }
  const issues: ConfigIssue[] = [];
  const checked: Record<string, unknown> = {};
  for (const path of new Set([...Object.keys(options), ...Object.keys(rules)])) {
    const value = (options as Record<string, unknown>)[path];
    const rule = Object.hasOwn(rules, path) ? rules[path as keyof RedisStoreOptions] : undefined;
    // An undefined option counts as left out, whatever its name.
    if (value === undefined) continue;
    checked[path] = value;
    if (!rule) {
      const expected = `a known option: ${Object.keys(rules).join(", ")}${hint(path)}`;
      issues.push({ path, expected, received: `${received(value)} under this name` });
    } else if (!rule.fits(value)) {
      const expected = `${rule.expected}${path === "deadline" ? numberHint(value) : ""}`;
      issues.push({ path, expected, received: received(value) });
    }
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

/** Names of the options elsewhere, in any case: in the clients, and in stores of other libraries. */
const elsewhere: Readonly<Record<keyof RedisStoreOptions, readonly string[]>> = {
  prefix: ["prefix", "keyprefix", "namespace"],
  deadline: ["deadline", "timeout", "commandtimeout"],
  clock: ["clock", "now"],
};

/** Explains how to convert a numeric string, such as one from the environment. */
function numberHint(value: unknown): string {
  const [, number, unit] = (typeof value === "string" && /^(\d+)(ms)?$/.exec(value)) || [];
  if (number === undefined) return "";
  return unit === undefined ? " (convert it: Number(…))" : ` (without a unit: ${number})`;
}

function hint(name: string): string {
  const own = Object.entries(elsewhere).find(([, names]) => names.includes(name.toLowerCase()));
  return own ? ` (did you mean ${own[0]}?)` : "";
}
