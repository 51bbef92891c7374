import { type Clock, ConfigError, type ConfigIssue, received } from "@spillway/core";

/** The keys, the deadline and the clock of a `redisStore`. */
export interface RedisStoreOptions {
  /** What the store's keys begin with, at most 100 printable characters without spaces. Default `"rl:"`. */
  readonly prefix?: string | undefined;
  /** Milliseconds that Redis has for an answer, 1 to 60 000. Default 100. */
  readonly deadline?: number | undefined;
  /** Epoch milliseconds, in place of the server's clock: for tests. */
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

/**
 * Answers the options that were checked, each of them read once; throws a `ConfigError` that names each one that does
 * not fit.
 */
export function checkRedisOptions(options: unknown): RedisStoreOptions {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError([
      { path: "", expected: 'an object such as { prefix: "rl:" }', received: received(options) },
    ]);
  }
  const issues: ConfigIssue[] = [];
  const checked: Record<string, unknown> = {};
  for (const path of new Set([...Object.keys(options), ...Object.keys(rules)])) {
    const value = (options as Record<string, unknown>)[path];
    const rule = Object.hasOwn(rules, path) ? rules[path as keyof RedisStoreOptions] : undefined;
    // What is undefined is as if left out, whatever its name.
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

/** What the options are called elsewhere, in any case: by the clients, and by stores of other libraries. */
const elsewhere: Readonly<Record<keyof RedisStoreOptions, readonly string[]>> = {
  prefix: ["prefix", "keyprefix", "namespace"],
  deadline: ["deadline", "timeout", "commandtimeout"],
  clock: ["clock", "now"],
};

/** Says how to make a number of a string that is one, as those of the environment are. */
function numberHint(value: unknown): string {
  const [, number, unit] = (typeof value === "string" && /^(\d+)(ms)?$/.exec(value)) || [];
  if (number === undefined) return "";
  return unit === undefined ? " (convert it: Number(…))" : ` (without a unit: ${number})`;
}

function hint(name: string): string {
  const own = Object.entries(elsewhere).find(([, names]) => names.includes(name.toLowerCase()));
  return own ? ` (did you mean ${own[0]}?)` : "";
}
