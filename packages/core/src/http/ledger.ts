import type { Awaitable } from "../awaitable.ts";
import { binds, type Decision, type PolicyStatus } from "../decision.ts";
import type { Carried } from "./carried.ts";
import type { Verdict } from "./verdict.ts";

/** What was decided on one request so far, by all limiters that it passed. */
export interface Ledger {
  /** Who charged it already; a limiter charges a request once, however often it is mounted. */
  readonly charged: object[];
  /** What became of the request by each of them; undefined while they are still at it. */
  readonly verdicts: (Awaitable<Verdict> | undefined)[];
  /** What clients are told of, in the order of asking; replaced where it changes. */
  statuses: readonly PolicyStatus[];
}

const none: readonly PolicyStatus[] = Object.freeze([]);

/** What was decided on a request, by what it carries. */
export function ledgerOf(carried: Carried): Ledger {
  carried.ledger ??= { charged: [], verdicts: [], statuses: none };
  return carried.ledger as Ledger;
}

/**
 * Begins the ledger of a request with a limiter, as most have one: lists that grow are given much room. Undefined where
 * the request has a ledger.
 */
export function beginLedger(carried: Carried, limiter: object): Ledger | undefined {
  if (carried.ledger !== undefined) return undefined;
  const ledger: Ledger = { charged: [limiter], verdicts: [undefined], statuses: none };
  carried.ledger = ledger;
  return ledger;
}

/** Enters what clients are told of a decision: no policy in shadow mode, and ceilings only where they refuse. */
export function tellStatuses(
  ledger: Ledger,
  statuses: readonly PolicyStatus[],
  ceilings: readonly boolean[],
): void {
  if (ledger.statuses === none && statuses.length === 1 && !statuses[0]!.shadow) {
    ledger.statuses = statuses;
    return;
  }
  const told = [...ledger.statuses];
  for (let i = 0; i < statuses.length; i++) {
    const status = statuses[i]!;
    if (status.shadow) continue;
    if (!ceilings[i]) told.push(status);
    else if (!status.allowed) tellCeiling(told, status);
  }
  ledger.statuses = told;
}

/** Tells of a ceiling that refuses in place of its policy, the last one told, which has the same name. */
function tellCeiling(statuses: PolicyStatus[], ceiling: PolicyStatus): void {
  const policy = statuses[statuses.length - 1]!;
  if (policy.allowed || ceiling.retryAfter > policy.retryAfter) {
    statuses[statuses.length - 1] = ceiling;
  }
}

/** The status that single-valued headers describe: the refusing one with the longest wait, else the tightest. */
export function bindingOf(statuses: readonly PolicyStatus[], { allowed }: Decision): number {
  let best = 0;
  for (let i = 1; i < statuses.length; i++) {
    if (binds(statuses[i]!, statuses[best]!, allowed)) best = i;
  }
  return best;
}
