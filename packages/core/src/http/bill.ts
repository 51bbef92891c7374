import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { storeKey } from "../key.ts";
import type { Rule } from "../rule.ts";
import type { Charge } from "../store.ts";
import type { RefusalAction } from "./action.ts";
import { addressKey, type Call } from "./call.ts";
import { ceilingOf } from "./ceiling.ts";
import type { Extractor } from "./extractor.ts";
import type { OutcomeTests } from "./outcomes.ts";

/** A rule with what only requests have. */
export interface HttpRule extends Rule, OutcomeTests {
  readonly extractor: Extractor;
  /** What a request pays that its extractor does not know: by its address, or nothing. */
  readonly unidentified: "address" | "skip";
  readonly unverifiedCeiling: number | false | undefined;
  /** Undefined where a refusal is a refusal. */
  readonly action: RefusalAction | undefined;
}

/** What a request must pay, and by which rule; ceilings stand behind the charge that they belong to. */
export interface Bill {
  readonly charges: Charge[];
  readonly owners: HttpRule[];
  readonly ceilings: boolean[];
}

/**
 * Asks every rule who pays how much for a request; in place where all that it asks answers in place. Throws or rejects
 * where a function of the options failed or answered nonsense.
 */
export function billOf(rules: readonly HttpRule[], call: Call): Awaitable<Bill> {
  return addFrom(rules, 0, call, { charges: [], owners: [], ceilings: [] });
}

function addFrom(
  rules: readonly HttpRule[],
  from: number,
  call: Call,
  bill: Bill,
): Awaitable<Bill> {
  for (let i = from; i < rules.length; i++) {
    const added = add(rules[i]!, call, bill);
    if (isPromise(added)) return added.then(() => addFrom(rules, i + 1, call, bill));
  }
  return bill;
}

function add(rule: HttpRule, call: Call, bill: Bill): Awaitable<void> {
  return settled(rule.skips ? rule.skips(call.req) : false, (skipped) => {
    if (skipped) return;
    return settled(rule.extractor.identify(call), (found) => {
      if (found === undefined && rule.unidentified === "skip") return;
      return settled(rule.policyFor(call.req), (policy) =>
        settled(rule.costOf(call.req), (cost) => {
          const key = found?.key ?? addressKey(call.address(), call.ipv6Prefix);
          put(bill, rule, { policy, key: storeKey(key), cost }, false);
          const most = found?.ceiling ?? rule.unverifiedCeiling;
          if (!found || found.verified || most === false) return;
          const payer = addressKey(call.address(), call.ipv6Prefix);
          put(bill, rule, { policy: ceilingOf(policy, most), key: payer, cost }, true);
        }),
      );
    });
  });
}

function put(bill: Bill, rule: HttpRule, charge: Charge, ceiling: boolean): void {
  rule.space.used = true;
  bill.charges.push(charge);
  bill.owners.push(rule);
  bill.ceilings.push(ceiling);
}
