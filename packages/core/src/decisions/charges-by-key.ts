import { eachOf, settled } from "../awaitable.ts";
import type { Rule } from "../policies/rule.ts";
import type { Charge } from "../store.ts";
import { type UnitsRead, unitsIn } from "../units.ts";

/** A check by key, without a request. */
interface CheckInput {
  readonly key: string;
  /** Overrides the rules' own costs. */
  readonly units: UnitsRead | undefined;
  readonly tier: string | null | undefined;
  /** Whether it charges, or only looks. */
  readonly keep: boolean;
}

/**
 * Returns the charges of a key under some rules, synchronously unless a function of the options is asynchronous. Throws
 * or rejects if such a function does, and with a `ConfigError` if its result is invalid.
 */
export function chargesOf(rules: readonly Rule[], asked: CheckInput): Charge[] | Promise<Charge[]> {
  const { key, units, keep } = asked;
  // Preallocated: a growing array reserves room for sixteen more.
  const charges = new Array<Charge>(rules.length);
  for (let i = 0; i < rules.length; i++) {
    const { name, policy, cost, space } = rules[i]!;
    if (cost === undefined) return eachOf(rules, (rule) => chargeOf(rule, asked));
    if (keep) space.noteCharge();
    charges[i] = { policy, key, cost: unitsIn(units, name) ?? cost };
  }
  return charges;
}

function chargeOf(
  rule: Rule,
  { key, units, tier, keep }: CheckInput,
): Charge | undefined | Promise<Charge | undefined> {
  const own = unitsIn(units, rule.name);
  const charged = (): Charge | Promise<Charge> =>
    settled(rule.policyFor(undefined, tier), (policy) =>
      settled(own ?? rule.costOf(undefined), (cost) => {
        if (keep) rule.space.noteCharge();
        return { policy, key, cost };
      }),
    );
  if (!rule.skips) return charged();
  return settled(rule.skips(undefined), (skip) => (skip ? undefined : charged()));
}
