import { isPromise } from "../awaitable.ts";
import type { LimiterState } from "../decisions/limiter-state.ts";
import { ConfigError, received } from "../errors.ts";
import type { Limiter } from "../limiter.ts";
import type { PolicySource } from "../policies/policy-source.ts";
import {
  checkHttpOptions,
  type HttpOptions,
  type HttpSharedOptions,
  type KnownOptions,
} from "./options/http-options.ts";
import { type HeldRequests, type Plan, planOf } from "./plan.ts";

/** The plan of a guard, which a source may replace while the guard is in use. */
export interface Planning {
  /** The plan for new requests; each request keeps the one that it began with. */
  readonly current: Plan;
  /** Reads and resets keys by the current plan. */
  readonly limiter: Limiter;
}

/**
 * Compiles checked options, and again whenever their source has a new version. An invalid version is reported to
 * `onError`, and the previous plan stays. Throws a `ConfigError` if the first version is invalid.
 */
export function planning(options: HttpOptions<never>, state: LimiterState): Planning {
  const { source } = options;
  const held: HeldRequests = { count: 0, turn: 0 };
  if (!source) {
    const current = planOf(options as KnownOptions<never>, state, held);
    return { current, limiter: current.limiter };
  }
  let current = planOf(sourced(options, source.current), state, held);
  const stop = source.subscribe((next) => {
    try {
      current = planOf(sourced(options, next), state, held);
      for (const rule of current.rules) rule.takeOver();
    } catch (error) {
      current.decider.report(error, undefined);
    }
  });
  return {
    get current() {
      return current;
    },
    limiter: {
      check: (key, how) => current.limiter.check(key, how),
      checkOrThrow: (key, how) => current.limiter.checkOrThrow(key, how),
      peek: (key, how) => current.limiter.peek(key, how),
      reset: (key, how) => current.limiter.reset(key, how),
      give: (decision) => current.limiter.give(decision),
      settle: (decision, actual) => current.limiter.settle(decision, actual),
      async close() {
        if (typeof stop === "function") stop();
        await current.limiter.close();
      },
    },
  };
}

type Hook = Extract<keyof HttpSharedOptions<never>, `on${Capitalize<string>}`>;
type Fixed = Exclude<Hook, "onStoreError"> | "store" | "source" | "trustProxy" | "ipv6Prefix";

/** Options that the limiter keeps, and those that belong to the application: a source cannot set them. */
const fixed: readonly string[] = [
  "store",
  "source",
  "trustProxy",
  "ipv6Prefix",
  "onDecision",
  "onRefused",
  "onFirstRefused",
  "onNearLimit",
  "onError",
  "onWarning",
] satisfies readonly Fixed[];

/** Merges the options with those of a source, checked as a whole. */
function sourced(options: HttpOptions<never>, said: PolicySource["current"]): KnownOptions<never> {
  const { source: _source, ...own } = options;
  try {
    if (typeof said !== "object" || said === null || Array.isArray(said) || isPromise(said)) {
      throw new ConfigError([{ path: "", expected: "options", received: received(said) }]);
    }
    const issues = Object.entries(said)
      .filter(([name, value]) => fixed.includes(name) && value !== undefined)
      .map(([path, value]) => {
        const expected = "nothing: this stands beside source";
        return { path, expected, received: received(value) };
      });
    if (issues.length > 0) throw new ConfigError(issues);
    return checkHttpOptions({ ...own, ...said } as KnownOptions<never>);
  } catch (error) {
    throw error instanceof ConfigError ? placed(error) : error;
  }
}

function placed({ issues }: ConfigError): ConfigError {
  return new ConfigError(
    issues.map(({ path, ...rest }) => ({
      path: path === "" ? "source" : `source.${path}`,
      ...rest,
    })),
  );
}
