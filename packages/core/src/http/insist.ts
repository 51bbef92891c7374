import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isOutage } from "../decision.ts";
import { claim } from "../decisions/claim.ts";
import type { Bill } from "./bill.ts";
import type { Call } from "./call.ts";
import { judge } from "./judge.ts";
import type { Plan } from "./plan.ts";
import { hasLeft } from "./response/departure.ts";
import { hold } from "./response/hold.ts";
import { counted, tried } from "./tried.ts";
import { Leaving, type Verdict } from "./verdict.ts";

/** How many requests are held at once, over all plans of a guard. */
export interface Waiting {
  held: number;
  /** Counts who is told to wait, so that not all ask again at once. */
  turn: number;
}

/**
 * Holds a request that does not fit until it does, as long as the policies that refuse it in turn let it wait; else
 * refuses it. While it is held it has paid nothing, and a client that leaves owes nothing.
 */
export function insist(
  plan: Plan,
  call: Call,
  bill: Bill,
  refused: Decision,
  waiting: Waiting,
): Awaitable<Verdict> {
  const wait = waitOf(refused, bill, 0, waiting);
  if (wait === undefined || waiting.held >= plan.maxHeld) return tell(plan, call, bill, refused);
  return settled(held(plan, call, bill, wait, waiting), (decision) =>
    decision ? tell(plan, call, bill, decision) : new Leaving(refused),
  );
}

/** Answers the last decision on a held request; undefined where its client has left. */
async function held(
  { decider }: Plan,
  call: Call,
  bill: Bill,
  first: number,
  waiting: Waiting,
): Promise<Decision | undefined> {
  const { req, raw } = call;
  const charges = tried(bill.charges);
  waiting.held++;
  try {
    let total = 0;
    for (let wait = first; ; ) {
      const answer = call.res ?? raw.socket;
      if (!(await hold(answer, wait))) return undefined;
      total += wait;
      const decision = await decider.ask(charges, req);
      if (hasLeft(answer)) {
        // Asked in its absence, by a store that takes its time.
        const receipt = claim(decision);
        if (receipt) decider.give(receipt, req);
        return undefined;
      }
      const next = decision.allowed ? undefined : waitOf(decision, bill, total, waiting);
      if (next === undefined) return decision;
      wait = next;
    }
  } finally {
    waiting.held--;
  }
}

/** How long to hold a request that was held so long already; undefined where it is not to be held any more. */
function waitOf(
  decision: Decision,
  bill: Bill,
  total: number,
  waiting: Waiting,
): number | undefined {
  if (isOutage(decision)) return undefined;
  const { policy, retryAfter } = decision;
  const owner = bill.owners.find(({ name }) => name === policy);
  const longest = owner?.action?.maxDelay ?? 0;
  const wait = Math.max(1, retryAfter);
  if (!(total + wait <= longest)) return undefined;
  // Who wait for the same would all ask at once, again and again, and all but one in vain.
  const apart = Math.floor((waiting.turn++ % Math.max(1, waiting.held)) / 2);
  return Math.min(wait + apart, longest - total);
}

/** Tells what became of a request in the end. */
export function tell(plan: Plan, call: Call, bill: Bill, decision: Decision): Awaitable<Verdict> {
  const { decider } = plan;
  return settled(counted(decider, bill.charges, decision, call.req), (known) =>
    judge(plan, call, decider.tell(known, call.req), bill),
  );
}
