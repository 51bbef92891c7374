import { type Decision, isOutage } from "./decision.ts";
import { chargesOf } from "./decisions/charges-by-key.ts";
import { claim } from "./decisions/claim.ts";
import { createDecider, type Decider } from "./decisions/decider.ts";
import { receiptOf } from "./decisions/decision-record.ts";
import { ConfigError, received, StoreError } from "./errors.ts";
import { storeKey } from "./key.ts";
import { checkDecision, checkNames } from "./options/check-arguments.ts";
import { checkLimiterOptions, type LimiterOptions } from "./options/limiter-options.ts";
import type { Rule } from "./policies/rule.ts";
import { tierName } from "./policies/tiers.ts";
import { RateLimitError } from "./rate-limit-error.ts";
import type { Charge } from "./store.ts";
import { checkNamesIn, readUnits, type Units, type UnitsRead } from "./units.ts";

/** Overrides for one check. */
export interface CheckOptions {
  /** Whole units instead of the policies' own cost: for all that are checked, or for each named one. */
  readonly cost?: Units | undefined;
  /** The tier of the key, instead of the result of the `tier` option. */
  readonly tier?: string | null | undefined;
  /** Checks only the policy of this name. */
  readonly policy?: string | undefined;
}

/** Decides by key, without HTTP. Times are milliseconds. */
export interface Limiter {
  /**
   * Charges a key and resolves with the decision; a refusal charges nothing, except in policies with `countRefused`. If
   * the store cannot answer, `reason` says so. Rejects with a `ConfigError` for an invalid argument or an invalid
   * result of a function in the options.
   */
  check(key: string, options?: CheckOptions): Promise<Decision>;
  /**
   * Does the same, but rejects with a `RateLimitError` when refused and a `StoreError` when the store failed closed.
   */
  checkOrThrow(key: string, options?: CheckOptions): Promise<Decision>;
  /** Resolves with what `check` would decide, and charges nothing; `remaining` is what is left now. */
  peek(key: string, options?: CheckOptions): Promise<Decision>;
  /**
   * Deletes a key, in all policies or the named one. Rejects with a `StoreError`, or with a `ConfigError` as `check`
   * does.
   */
  reset(key: string, options?: Pick<CheckOptions, "policy">): Promise<void>;
  /**
   * Refunds an allowed decision of this limiter, at most once. Rejects with a `StoreError`, or with a `ConfigError` for
   * anything but a decision.
   */
  give(decision: Decision): Promise<void>;
  /** Does what `decision.settle` does for a decision of this limiter; nothing for another's. */
  settle(decision: Decision, actual: Units): Promise<void>;
  /** Closes the store if the limiter created it; one that was passed in stays open. May be called twice. */
  close(): Promise<void>;
}

/** Creates a limiter. Throws a `ConfigError` naming each invalid option. */
export function createLimiter(options: LimiterOptions): Limiter {
  return limiterOf(createDecider(checkLimiterOptions(options)));
}

const none: CheckOptions = Object.freeze({});
const askNames: readonly string[] = ["cost", "policy", "tier"];
const resetNames: readonly string[] = ["policy"];

/** Returns the limiter of an existing decider. */
export function limiterOf(decider: Decider): Limiter {
  /** Not async: if everything is synchronous, creates a single promise, already resolved. */
  function ask(key: string, options: CheckOptions, keep: boolean): Promise<Decision> {
    try {
      if (options !== none) checkNames(options, askNames);
      const named = storeKey(key);
      const { cost, policy, tier } = options;
      const rules = rulesNamed(decider, policy);
      const charges = chargesOf(rules, {
        key: named,
        units: cost === undefined ? undefined : unitsOf(cost, rules),
        tier: tier === undefined ? undefined : tierOf(decider, tier),
        keep,
      });
      return Array.isArray(charges)
        ? Promise.resolve(decide(charges, keep))
        : charges.then((list) => decide(list, keep));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function decide(charges: readonly Charge[], keep: boolean): Decision | Promise<Decision> {
    if (charges.length > 0) {
      return keep ? decider.decide(charges, undefined) : decider.look(charges, undefined);
    }
    const decision = decider.exempt();
    return keep ? decider.notify(decision, undefined) : decision;
  }

  /** The rule of most limiters: the only one, with fixed settings. */
  const [plain] = decider.rules.length === 1 ? decider.rules : [];

  /** Not async: creates a single promise, already resolved if possible. */
  function check(key: string, options: CheckOptions = none): Promise<Decision> {
    if (options !== none || plain?.cost === undefined) return ask(key, options, true);
    try {
      plain.space.noteCharge();
      return Promise.resolve(decider.decideOne(plain.policy, storeKey(key), plain.cost, undefined));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    check,

    async checkOrThrow(key, options) {
      const decision = await check(key, options);
      if (decision.allowed) return decision;
      if (isOutage(decision)) {
        const error = decider.causeOf(decision) as Error | undefined;
        // An error without a cause, such as a passed deadline, becomes the cause of the one thrown.
        throw error?.cause === undefined
          ? new StoreError("The store could not answer", error)
          : error;
      }
      throw new RateLimitError(decision, messageOf(decision));
    },

    peek: (key, options = none) => ask(key, options, false),

    async reset(key, options = {}) {
      checkNames(options, resetNames);
      const named = storeKey(key);
      const policies = rulesNamed(decider, options.policy).map(({ policy }) => policy);
      await decider.resetOrReject(policies, named);
    },

    async give(decision) {
      checkDecision(decision);
      const receipt = isMine(decider, decision) ? claim(decision) : undefined;
      if (receipt) await decider.giveOrReject(receipt);
    },

    async settle(decision, actual) {
      checkDecision(decision);
      if (isMine(decider, decision)) await decision.settle(actual);
      else readUnits(actual, "actual");
    },

    close: () => decider.close(),
  };
}

/** Returns the policies of this name; all without one. */
function rulesNamed({ rules }: Decider, name: string | undefined): readonly Rule[] {
  if (name === undefined) return rules;
  const found = rules.filter((rule) => rule.name === name);
  if (found.length > 0) return found;
  const expected = `the name of a policy: ${rules.map((rule) => rule.name).join(", ")}`;
  throw new ConfigError([{ path: "policy", expected, received: received(name) }]);
}

function unitsOf(given: unknown, rules: readonly Rule[]): UnitsRead {
  const units = readUnits(given, "cost");
  const names = rules.map(({ name }) => name);
  checkNamesIn(units, names, "cost");
  return units;
}

/** Anything but undefined overrides the `tier` option, including null for no tier. */
function tierOf({ rules, warn }: Decider, given: unknown): string | null {
  const tier = tierName(given, "tier") ?? null;
  if (tier !== null && !rules.some(({ tiered }) => tiered)) {
    const message = `A tier ${received(tier)} was named, and no policy has tiers.`;
    warn("SPILLWAY_UNKNOWN_TIER", message);
  }
  return tier;
}

/** Whether a decision was made by one of the limiter's policies, present or replaced. */
function isMine({ made }: Decider, decision: Decision): boolean {
  const charges = receiptOf(decision)?.charges ?? [];
  return charges.some(({ policy }) => made(policy));
}

function messageOf({ policy, reason, retryAfter }: Decision): string {
  const told = reason === "blocked" ? "Blocked" : "Rate limit exceeded";
  if (retryAfter === Infinity)
    return `${told}: the cost is above what policy ${policy} can ever admit.`;
  return `${told}. Retry in ${retryAfter} milliseconds.`;
}
