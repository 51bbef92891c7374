import type { Awaitable } from "../awaitable.ts";
import { binds, type Decision, type PolicyStatus } from "../decision.ts";
import type { Carried } from "./carried.ts";
import type { Verdict } from "./verdict.ts";

/** What was decided on one request so far, by all limiters that it passed. */
export class Ledger {
  /** Of the limiter that met the request last; undefined where none did. */
  declare latest: Entry | undefined;
  /** What clients are told of, in the order of asking; replaced where it changes. */
  declare statuses: readonly PolicyStatus[];

  constructor() {
    this.latest = undefined;
    this.statuses = none;
  }
}

/** A limiter that charged a request; it does so once, however often it is mounted. */
export class Entry {
  declare readonly limiter: object;
  declare readonly earlier: Entry | undefined;
  /** What became of the request by it; undefined while it is still at it. */
  declare verdict: Awaitable<Verdict> | undefined;

  constructor(limiter: object, earlier: Entry | undefined) {
    this.limiter = limiter;
    this.earlier = earlier;
    this.verdict = undefined;
  }
}

const none: readonly PolicyStatus[] = Object.freeze([]);

/** What was decided on a request, by what it carries. */
export function ledgerOf(carried: Carried): Ledger {
  carried.ledger ??= new Ledger();
  return carried.ledger as Ledger;
}

/** Finds the entry of a limiter. */
export function entryOf({ latest }: Ledger, limiter: object): Entry | undefined {
  let entry = latest;
  while (entry && entry.limiter !== limiter) entry = entry.earlier;
  return entry;
}

/** Enters a limiter that has no entry. */
export function enter(ledger: Ledger, limiter: object): Entry {
  ledger.latest = new Entry(limiter, ledger.latest);
  return ledger.latest;
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
