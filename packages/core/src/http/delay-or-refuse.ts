import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isOutage } from "../decision.ts";
import { claim } from "../decisions/claim.ts";
import type { Bill } from "./bill.ts";
import type { HeldRequests, Plan } from "./plan.ts";
import type { RequestContext } from "./request-context.ts";
import { hasLeft } from "./response/departure.ts";
import { hold } from "./response/hold.ts";
import { recordRefusals, tentative } from "./tentative.ts";
import { Gone, type Verdict } from "./verdict.ts";
import { verdictOn } from "./verdict-on.ts";

/**
 * Holds a request that does not fit until it does, for as long as the policies that refuse it let it wait; otherwise
 * refuses it. A held request has paid nothing, and a client that leaves owes nothing.
 */
export function delayOrRefuse(
  plan: Plan,
  context: RequestContext,
  bill: Bill,
  refused: Decision,
): Awaitable<Verdict> {
  const wait = waitOf(refused, bill, 0, plan.held);
  if (wait === undefined || plan.held.count >= plan.maxHeld)
    return finish(plan, context, bill, refused);
  return settled(holdUntilFit(plan, context, bill, wait), (decision) =>
    decision ? finish(plan, context, bill, decision) : new Gone(refused),
  );
}

/** Returns the last decision on a held request; undefined if its client has left. */
async function holdUntilFit(
  { decider, held }: Plan,
  context: RequestContext,
  bill: Bill,
  first: number,
): Promise<Decision | undefined> {
  const { req, raw } = context;
  const charges = tentative(bill.charges);
  held.count++;
  try {
    let total = 0;
    for (let wait = first; ; ) {
      const answer = context.res ?? raw.socket;
      if (!(await hold(answer, wait))) return undefined;
      total += wait;
      const decision = await decider.decideSilently(charges, req);
      if (hasLeft(answer)) {
        // The client left while the store was deciding.
        const receipt = claim(decision);
        if (receipt) decider.give(receipt, req);
        return undefined;
      }
      const next = decision.allowed ? undefined : waitOf(decision, bill, total, held);
      if (next === undefined) return decision;
      wait = next;
    }
  } finally {
    held.count--;
  }
}

/** Returns how long to hold a request that has been held for `total`; undefined if it must not be held any longer. */
function waitOf(
  decision: Decision,
  bill: Bill,
  total: number,
  held: HeldRequests,
): number | undefined {
  if (isOutage(decision)) return undefined;
  const { policy, retryAfter } = decision;
  const owner = bill.owners.find(({ name }) => name === policy);
  const longest = owner?.action?.maxDelay ?? 0;
  const wait = Math.max(1, retryAfter);
  if (!(total + wait <= longest)) return undefined;
  // Requests waiting for the same would all ask at once, again and again, and all but one in vain.
  const apart = Math.floor((held.turn++ % Math.max(1, held.count)) / 2);
  return Math.min(wait + apart, longest - total);
}

/** Finalizes the decision on a request, and returns the verdict. */
export function finish(
  plan: Plan,
  context: RequestContext,
  bill: Bill,
  decision: Decision,
): Awaitable<Verdict> {
  const { decider } = plan;
  return settled(recordRefusals(decider, bill.charges, decision, context.req), (known) =>
    verdictOn(plan, context, decider.notify(known, context.req), bill),
  );
}
