import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { deniedDecision, skippedDecision } from "../decisions/decided-without-store.ts";
import {
  type Bill,
  billOf,
  billOfOne,
  ceilingUnits,
  chargedKey,
  type HttpRule,
  isSkipped,
  noCeiling,
  type Owners,
} from "./bill.ts";
import { delayOrRefuse, finish } from "./delay-or-refuse.ts";
import type { Identity } from "./identity/extractor.ts";
import type { ListAnswer } from "./identity/lists.ts";
import { ownKeys } from "./identity/own-keys.ts";
import type { Plan } from "./plan.ts";
import type { RequestContext } from "./request-context.ts";
import { tentative } from "./tentative.ts";
import { Pass, type Verdict } from "./verdict.ts";
import { verdictOn } from "./verdict-on.ts";

/**
 * Charges a request according to a plan, and returns the verdict. Throws or rejects if a function of the options does.
 */
export function admitRequest(plan: Plan, context: RequestContext): Awaitable<Verdict> {
  const { lists, listed } = plan;
  if (!lists) return choose(plan, context);
  return later(context, lists.before(context, ownKeys(listed, context)), (found) =>
    found ? decided(plan, context, found) : choose(plan, context),
  );
}

function choose(plan: Plan, context: RequestContext): Awaitable<Verdict> {
  if (!plan.choose) return pay(plan, context, plan.rules);
  return later(context, plan.choose(context), (choice) =>
    typeof choice === "string"
      ? exempt(plan, context, choice, Infinity, undefined)
      : pay(plan, context, choice),
  );
}

function pay(plan: Plan, context: RequestContext, rules: readonly HttpRule[]): Awaitable<Verdict> {
  const [rule] = rules;
  if (rules.length === 1 && rule!.cost !== undefined) {
    const found = rule!.extractor.identify(context);
    return isPromise(found)
      ? later(context, found, (known) => payOne(plan, context, rules, rule!.cost!, known))
      : payOne(plan, context, rules, rule!.cost, found);
  }
  const bill = billOf(rules, context);
  return isPromise(bill)
    ? later(context, bill, (known) => payBill(plan, context, rules, known))
    : payBill(plan, context, rules, bill);
}

/** The most common case: one charge by one rule with a fixed cost, without the overhead of a bill. */
function payOne(
  plan: Plan,
  context: RequestContext,
  rules: readonly HttpRule[],
  cost: number,
  found: Identity | undefined,
): Awaitable<Verdict> {
  const rule = rules[0]!;
  if (plan.retriesRefused || isSkipped(rule, found) || ceilingUnits(rule, found) !== false) {
    return payBill(plan, context, rules, billOfOne(rule, cost, context, found));
  }
  rule.space.noteCharge();
  const decision = plan.decider.decideOne(
    rule.policy,
    chargedKey(context, found),
    cost,
    context.req,
  );
  const owners = { owners: rules, ceilings: noCeiling };
  return isPromise(decision)
    ? decision.then((known) => verdictOn(plan, context, known, owners))
    : verdictOn(plan, context, decision, owners);
}

function payBill(
  plan: Plan,
  context: RequestContext,
  rules: readonly HttpRule[],
  bill: Bill,
): Awaitable<Verdict> {
  if (bill.charges.length === 0) {
    const { name = "", policy = { limit: Infinity } } = rules[0] ?? {};
    return exempt(plan, context, name, policy.limit, undefined);
  }
  if (plan.retriesRefused) return secondChance(plan, context, bill);
  const decision = plan.decider.decide(bill.charges, context.req);
  return isPromise(decision)
    ? decision.then((known) => verdictOn(plan, context, known, bill))
    : verdictOn(plan, context, decision, bill);
}

/** Charges tentatively; notifies once it is known what happens to a request that does not fit. */
function secondChance(plan: Plan, context: RequestContext, bill: Bill): Awaitable<Verdict> {
  const { decider, lists, listed } = plan;
  return settled(
    decider.decideSilently(tentative(bill.charges), context.req),
    (decision): Awaitable<Verdict> => {
      if (decision.allowed) return finish(plan, context, bill, decision);
      const found = lists?.late ? lists.lateAllow(context, ownKeys(listed, context)) : undefined;
      return later(context, found, (entry) =>
        entry ? decided(plan, context, entry) : delayOrRefuse(plan, context, bill, decision),
      );
    },
  );
}

function decided(
  plan: Plan,
  context: RequestContext,
  { list, reason, key }: ListAnswer,
): Awaitable<Verdict> {
  if (list === "allow") return exempt(plan, context, "", Infinity, reason);
  const decision = deniedDecision(key, reason);
  return verdictOn(plan, context, plan.decider.notify(decision, context.req), nobody);
}

const nobody: Owners = { owners: [], ceilings: [] };

function exempt(
  { decider }: Plan,
  { req }: RequestContext,
  policy: string,
  limit: number,
  detail: string | undefined,
): Verdict {
  return new Pass(decider.notify(skippedDecision(policy, limit, detail), req));
}

/** Applies a function to a value, now or when it arrives, and keeps the address of a client that leaves meanwhile. */
function later<T, U>(
  context: RequestContext,
  value: Awaitable<T>,
  next: (value: T) => Awaitable<U>,
): Awaitable<U> {
  // Node knows the address of a client that has left only if it was read before.
  if (isPromise(value)) void context.raw.socket?.remoteAddress;
  return settled(value, next);
}
