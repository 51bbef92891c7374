import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { deniedDecision, skippedDecision } from "../decisions/decided-without-store.ts";
import {
  type Bill,
  billOf,
  billOfOne,
  type HttpRule,
  isSkipped,
  mostOf,
  noCeiling,
  type Owners,
  payerOf,
} from "./bill.ts";
import type { Call } from "./call.ts";
import type { Identity } from "./identity/extractor.ts";
import type { ListAnswer } from "./identity/lists.ts";
import { ownKeys } from "./identity/own-keys.ts";
import { insist, tell } from "./insist.ts";
import { judge } from "./judge.ts";
import type { Plan } from "./plan.ts";
import { tried } from "./tried.ts";
import { Pass, type Verdict } from "./verdict.ts";

/** Charges a request by a plan, and judges it. Throws or rejects where a function of the options does. */
export function charge(plan: Plan, call: Call): Awaitable<Verdict> {
  const { lists, listed } = plan;
  if (!lists) return choose(plan, call);
  return later(call, lists.before(call, ownKeys(listed, call)), (found) =>
    found ? decided(plan, call, found) : choose(plan, call),
  );
}

function choose(plan: Plan, call: Call): Awaitable<Verdict> {
  if (!plan.choose) return pay(plan, call, plan.rules);
  return later(call, plan.choose(call), (choice) =>
    typeof choice === "string"
      ? exempt(plan, call, choice, Infinity, undefined)
      : pay(plan, call, choice),
  );
}

function pay(plan: Plan, call: Call, rules: readonly HttpRule[]): Awaitable<Verdict> {
  const [rule] = rules;
  if (rules.length === 1 && rule!.cost !== undefined) {
    const found = rule!.extractor.identify(call);
    return isPromise(found)
      ? later(call, found, (known) => payOne(plan, call, rules, rule!.cost!, known))
      : payOne(plan, call, rules, rule!.cost, found);
  }
  const bill = billOf(rules, call);
  return isPromise(bill)
    ? later(call, bill, (known) => payBill(plan, call, rules, known))
    : payBill(plan, call, rules, bill);
}

/** What most requests need: one charge by one rule with a fixed cost, which goes without a bill. */
function payOne(
  plan: Plan,
  call: Call,
  rules: readonly HttpRule[],
  cost: number,
  found: Identity | undefined,
): Awaitable<Verdict> {
  const rule = rules[0]!;
  if (plan.patient || isSkipped(rule, found) || mostOf(rule, found) !== false) {
    return payBill(plan, call, rules, billOfOne(rule, cost, call, found));
  }
  rule.space.noteCharge();
  const decision = plan.decider.decideOne(rule.policy, payerOf(call, found), cost, call.req);
  const owners = { owners: rules, ceilings: noCeiling };
  return isPromise(decision)
    ? decision.then((known) => judge(plan, call, known, owners))
    : judge(plan, call, decision, owners);
}

function payBill(
  plan: Plan,
  call: Call,
  rules: readonly HttpRule[],
  bill: Bill,
): Awaitable<Verdict> {
  if (bill.charges.length === 0) {
    const { name = "", policy = { limit: Infinity } } = rules[0] ?? {};
    return exempt(plan, call, name, policy.limit, undefined);
  }
  if (plan.patient) return secondChance(plan, call, bill);
  const decision = plan.decider.decide(bill.charges, call.req);
  return isPromise(decision)
    ? decision.then((known) => judge(plan, call, known, bill))
    : judge(plan, call, decision, bill);
}

/** Asks first, and tells when it is known what becomes of a request that does not fit. */
function secondChance(plan: Plan, call: Call, bill: Bill): Awaitable<Verdict> {
  const { decider, lists, listed } = plan;
  return settled(
    decider.decideUntold(tried(bill.charges), call.req),
    (decision): Awaitable<Verdict> => {
      if (decision.allowed) return tell(plan, call, bill, decision);
      const found = lists?.late ? lists.lateAllow(call, ownKeys(listed, call)) : undefined;
      return later(call, found, (entry) =>
        entry ? decided(plan, call, entry) : insist(plan, call, bill, decision),
      );
    },
  );
}

function decided(plan: Plan, call: Call, { list, reason, key }: ListAnswer): Awaitable<Verdict> {
  if (list === "allow") return exempt(plan, call, "", Infinity, reason);
  const decision = deniedDecision(key, reason);
  return judge(plan, call, plan.decider.tell(decision, call.req), nobody);
}

const nobody: Owners = { owners: [], ceilings: [] };

function exempt(
  { decider }: Plan,
  { req }: Call,
  policy: string,
  limit: number,
  detail: string | undefined,
): Verdict {
  return new Pass(decider.tell(skippedDecision(policy, limit, detail), req));
}

/** Applies a function to a value now or when it arrives, and keeps the address of a client that leaves meanwhile. */
function later<T, U>(
  call: Call,
  value: Awaitable<T>,
  next: (value: T) => Awaitable<U>,
): Awaitable<U> {
  // Node knows the address of a client that leaves meanwhile only if it was asked for it before.
  if (isPromise(value)) void call.raw.socket?.remoteAddress;
  return settled(value, next);
}
