import { type Awaitable, firstOf, settled } from "../awaitable.ts";
import { storeKey } from "../key.ts";
import type { Rule } from "../policies/rule.ts";
import type { Policy } from "../policy.ts";
import type { Charge } from "../store.ts";
import type { RefusalAction } from "./action.ts";
import { ceilingOf } from "./ceiling.ts";
import type { Extractor, Identity } from "./identity/extractor.ts";
import type { OutcomeTests } from "./outcomes.ts";
import { addressKey, type RequestContext } from "./request-context.ts";
import type { BlockedAnswer } from "./response/refusal.ts";

/** A rule with what only requests have. */
export interface HttpRule extends Rule, OutcomeTests {
  readonly extractor: Extractor;
  /** What a request pays that its extractor does not know: by its address, or nothing. */
  readonly unidentified: "address" | "skip";
  readonly unverifiedCeiling: number | false | undefined;
  /** Undefined where a refusal is a refusal. */
  readonly action: RefusalAction | undefined;
  /** How whom its ban blocks is answered otherwise than all who are refused. */
  readonly blocked: BlockedAnswer | undefined;
}

/** By which rules a request is charged, and which of the charges are ceilings. */
export interface Owners {
  readonly owners: readonly HttpRule[];
  readonly ceilings: readonly boolean[];
}

/** What a request must pay, and by which rule; ceilings stand behind the charge that they belong to. */
export interface Bill extends Owners {
  readonly charges: readonly Charge[];
}

/** A bill while it is written. */
interface Draft extends Bill {
  readonly charges: Charge[];
  readonly owners: HttpRule[];
  readonly ceilings: boolean[];
}

/**
 * Asks every rule who pays how much for a request; in place where all that it asks answers in place. Throws or rejects
 * where a function of the options failed or answered nonsense.
 */
export function billOf(rules: readonly HttpRule[], context: RequestContext): Awaitable<Bill> {
  const bill: Draft = { charges: [], owners: [], ceilings: [] };
  return settled(
    firstOf(rules, (rule) => add(rule, context, bill)),
    () => bill,
  );
}

/** Of a bill of one charge without a ceiling. */
export const noCeiling: readonly boolean[] = Object.freeze([false]);

/** The bill by one rule with a fixed cost, of which only the payer had to be found out. */
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

/** Whether a rule has nothing to do with whom its extractor does not know. */
export function isSkipped(rule: HttpRule, found: Identity | undefined): boolean {
  return found === undefined && rule.unidentified === "skip";
}

/** The key that pays: what was found, or the address. */
export function chargedKey(context: RequestContext, found: Identity | undefined): string {
  return storeKey(found?.key ?? ownAddress(context));
}

/** How many units an address may use with all that it claims; undefined for the default, false for no end. */
export function ceilingUnits(
  rule: HttpRule,
  found: Identity | undefined,
): number | false | undefined {
  return !found || found.verified ? false : (found.ceiling ?? rule.unverifiedCeiling);
}

function ownAddress(context: RequestContext): string {
  return addressKey(context.address(), context.ipv6Prefix);
}

function add(rule: HttpRule, context: RequestContext, bill: Draft): Awaitable<void> {
  return settled(rule.skips ? rule.skips(context.req) : false, (skipped) => {
    if (skipped) return;
    return settled(rule.extractor.identify(context), (found) => {
      if (isSkipped(rule, found)) return;
      return settled(rule.policyFor(context.req), (policy) =>
        settled(rule.costOf(context.req), (cost) =>
          addCharge(bill, rule, context, found, policy, cost),
        ),
      );
    });
  });
}

/** Enters a charge, and the ceiling of who only claims to be somebody. */
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
