import { type Awaitable, firstOf, settled } from "../awaitable.ts";
import { storeKey } from "../key.ts";
import type { Rule } from "../policies/rule.ts";
import type { Policy } from "../policy.ts";
import type { Charge } from "../store.ts";
import type { RefusalAction } from "./action.ts";
import { ceilingOf } from "./ceiling.ts";
import { answerOf, type Question } from "./identity/asked.ts";
import type { Extractor, Identity } from "./identity/extractor.ts";
import type { OutcomeTests } from "./outcomes.ts";
import { addressKey, type RequestContext } from "./request-context.ts";
import type { BlockedAnswer } from "./response/refusal.ts";

/** A rule with the parts that only requests have. */
export interface HttpRule extends Rule, OutcomeTests {
  readonly extractor: Extractor;
  /** The function that chooses its tier, if other policies have the same; asked for all of them at once. */
  readonly sharedTier: Question | undefined;
  /** What pays for a request that its extractor does not identify: its address, or nothing. */
  readonly unidentified: "address" | "skip";
  readonly unverifiedCeiling: number | false | undefined;
  /** Undefined for a plain refusal. */
  readonly action: RefusalAction | undefined;
  /** How requests blocked by its ban are answered, if differently from other refusals. */
  readonly blocked: BlockedAnswer | undefined;
}

/** The rules that charge a request, and which of the charges are ceilings. */
export interface Owners {
  readonly owners: readonly HttpRule[];
  readonly ceilings: readonly boolean[];
}

/** What a request must pay, and by which rule; a ceiling follows the charge that it belongs to. */
export interface Bill extends Owners {
  readonly charges: readonly Charge[];
}

/** A bill that is being written. */
interface Draft extends Bill {
  readonly charges: Charge[];
  readonly owners: HttpRule[];
  readonly ceilings: boolean[];
}

/**
 * Asks every rule who pays how much for a request, synchronously if all answers are. Throws or rejects if a function of
 * the options fails or returns something invalid.
 */
export function billOf(rules: readonly HttpRule[], context: RequestContext): Awaitable<Bill> {
  const bill: Draft = { charges: [], owners: [], ceilings: [] };
  return settled(
    firstOf(rules, (rule) => add(rule, context, bill)),
    () => bill,
  );
}

/** Ceilings of a bill of one charge without a ceiling. */
export const noCeiling: readonly boolean[] = Object.freeze([false]);

/** Returns the bill of one rule with a fixed cost, once its payer is known. */
export function billOfOne(
  rule: HttpRule,
  cost: number,
  context: RequestContext,
  found: Identity | undefined,
): Bill {
  const bill: Draft = { charges: [], owners: [], ceilings: [] };
  if (!isSkipped(rule, found)) addCharge(bill, rule, context, found, rule.policy, cost);
  return bill;
}

/** Whether a rule does not apply to a request that its extractor does not identify. */
export function isSkipped(rule: HttpRule, found: Identity | undefined): boolean {
  return found === undefined && rule.unidentified === "skip";
}

/** Returns the key that pays: the one found, or the address. */
export function chargedKey(context: RequestContext, found: Identity | undefined): string {
  return storeKey(found?.key ?? ownAddress(context));
}

/** Returns how many units an address may use for all that it claims; undefined for the default, false for unlimited. */
export function ceilingUnits(
  rule: HttpRule,
  found: Identity | undefined,
): number | false | undefined {
  return !found || found.verified ? false : (found.ceiling ?? rule.unverifiedCeiling);
}

/** Returns a rule's policy for a request; asks a function that chooses tiers once for all policies that have it. */
export function policyOf(
  { sharedTier, policyFor }: HttpRule,
  context: RequestContext,
): Awaitable<Policy> {
  if (!sharedTier) return policyFor(context.req);
  return settled(answerOf(context, sharedTier), (tier) => policyFor(context.req, tier ?? null));
}

function ownAddress(context: RequestContext): string {
  return addressKey(context.address(), context.ipv6Prefix);
}

function add(rule: HttpRule, context: RequestContext, bill: Draft): Awaitable<void> {
  return settled(rule.skips ? rule.skips(context.req) : false, (skipped) => {
    if (skipped) return;
    return settled(rule.extractor.identify(context), (found) => {
      if (isSkipped(rule, found)) return;
      return settled(policyOf(rule, context), (policy) =>
        settled(rule.costOf(context.req), (cost) =>
          addCharge(bill, rule, context, found, policy, cost),
        ),
      );
    });
  });
}

/** Adds a charge, and the ceiling of an unverified identity. */
function addCharge(
  bill: Draft,
  rule: HttpRule,
  context: RequestContext,
  found: Identity | undefined,
  policy: Policy,
  cost: number,
): void {
  put(bill, rule, { policy, key: chargedKey(context, found), cost }, false);
  const most = ceilingUnits(rule, found);
  if (most === false) return;
  put(bill, rule, { policy: ceilingOf(policy, most), key: ownAddress(context), cost }, true);
}

function put(bill: Draft, rule: HttpRule, charge: Charge, ceiling: boolean): void {
  rule.space.noteCharge();
  bill.charges.push(charge);
  bill.owners.push(rule);
  bill.ceilings.push(ceiling);
}
