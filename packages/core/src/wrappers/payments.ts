import { type Awaitable, isPromise } from "../awaitable.ts";
import { checkTaken } from "../check-taken.ts";
import type { Clock } from "../clock.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";
import type { Account, Accounts } from "./accounts.ts";
import { earliest, fitsBy } from "./answered.ts";
import { type Lease, tagPaidBy, withoutHeld } from "./lease.ts";

/** One charge of a call to the store. */
interface PendingCharge {
  readonly charge: Charge;
  readonly account: Account;
  /** Units to charge in advance, beyond the cost. */
  readonly ahead: number;
  /** How often the account had given units back before the call. */
  readonly timesGivenBack: number;
}

/** What `createPay` needs. */
export interface PayDeps {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly clock: Clock;
}

/** Pays for a request: from leases if they cover all charges, else by one call. `payers[i]` is the account of charge i. */
export type Pay = (
  charges: readonly Charge[],
  payers: readonly Account[],
  local: number,
) => Awaitable<Taken>;

/** How many calls a request may cost: a refused one asks again if units of its keys have come back. */
const mostCalls = 4;

/** Creates the function that pays for the requests of a `leasedStore`. */
export function createPay({ store, accounts, clock }: PayDeps): Pay {
  function areHeld(
    pending: readonly Pick<PendingCharge, "charge" | "account">[],
    local: number,
  ): boolean {
    return pending.every(({ account, charge }) => accounts.canPay(account, charge.cost, local));
  }

  function spend(charges: readonly Charge[], payers: readonly Account[], local: number): Taken {
    let now = 0;
    for (const { lease } of payers) now = Math.max(now, earliest(lease!, local), lease!.seenAt);
    const states = charges.map(({ cost }, i) => {
      const account = payers[i]!;
      const lease = account.lease!;
      accounts.noteUse(account, cost, local);
      lease.held -= cost;
      return tagPaidBy(withoutHeld(lease.seen, now, lease), lease, lease.held);
    });
    return { now, fits: charges.map(() => true), states };
  }

  function ask(pending: readonly PendingCharge[], asked: number, calls: number): Awaitable<Taken> {
    const charges = pending.map(({ charge, ahead }) => {
      return ahead > 0 ? { ...charge, cost: charge.cost + ahead } : charge;
    });
    const noteAsking = (askedAt: number | undefined): void => {
      for (const { account, ahead } of pending) if (ahead > 0) account.askedAt = askedAt;
    };
    const answered = (taken: Taken): Awaitable<Taken> => {
      noteAsking(undefined);
      checkTaken(charges, taken);
      noteAnswer(pending, taken);
      if (passes(charges, taken.fits)) return admitted(pending, taken, asked);
      return isWorthAsking(pending, taken) && calls < mostCalls
        ? askAgain(pending, taken, calls)
        : refused(pending, taken);
    };
    const failed = (error: unknown): never => {
      noteAsking(undefined);
      throw error;
    };
    noteAsking(asked);
    let taken: Awaitable<Taken>;
    try {
      taken = store.take(charges, true);
    } catch (error) {
      return failed(error);
    }
    return isPromise(taken) ? Promise.resolve(taken).then(answered, failed) : answered(taken);
  }

  function admitted(pending: readonly PendingCharge[], taken: Taken, asked: number): Taken {
    const heard = clock();
    const states = pending.map((one, i) => {
      const { account, charge, ahead } = one;
      const { policy, key, cost } = charge;
      const { now } = taken;
      const left = taken.states[i]!;
      accounts.noteUse(account, cost, heard);
      if (ahead > 0) {
        const lease = leaseOf(one, taken, i, asked, heard);
        if (!isComplete(taken)) {
          // Granted by a fallback, or a guess: not for later.
          accounts.giveBack(lease);
          return left;
        }
        const shown = tagPaidBy(withoutHeld(left, now, lease), lease, ahead);
        accounts.keep(account, lease);
        return shown;
      }
      const { lease } = account;
      if (!lease || !isComplete(taken)) return left;
      return tagPaidBy(withoutHeld(left, now, lease), { policy, key, now, left });
    });
    return { ...taken, states };
  }

  function askAgain(
    pending: readonly PendingCharge[],
    { fits }: Taken,
    calls: number,
  ): Awaitable<Taken> {
    const local = clock();
    if (areHeld(pending, local)) {
      const charges = pending.map(({ charge }) => charge);
      const payers = pending.map(({ account }) => account);
      return spend(charges, payers, local);
    }
    for (const [i, { account }] of pending.entries()) if (!fits[i]) accounts.drop(account);
    return ask(pending.map(withoutAdvance), local, calls + 1);
  }

  return (charges, payers, local) => {
    let areAllHeld = charges.some(({ cost }) => cost > 0);
    for (let i = 0; areAllHeld && i < charges.length; i++) {
      areAllHeld = accounts.canPay(payers[i]!, charges[i]!.cost, local);
    }
    if (areAllHeld) return spend(charges, payers, local);
    accounts.sweep(local);
    let [areLeasable, anyAhead] = [true, false];
    const pending = charges.map((charge, i): PendingCharge => {
      const account = payers[i]!;
      const isHeld = accounts.canPay(account, charge.cost, local);
      if (!isHeld) accounts.drop(account);
      const ahead = isHeld ? 0 : accounts.ahead(account, charge.cost, local);
      if (ahead > 0) anyAhead = true;
      else if (!isHeld) areLeasable = false;
      return { charge, account, ahead, timesGivenBack: account.timesGivenBack };
    });
    // A key without units, and too quiet to charge in advance, sends such requests to the store, whatever others hold.
    const isWasted = anyAhead && !areLeasable;
    return ask(isWasted ? pending.map(withoutAdvance) : pending, local, 1);
  };
}

function withoutAdvance({ charge, account }: PendingCharge): PendingCharge {
  return { charge, account, ahead: 0, timesGivenBack: account.timesGivenBack };
}

function leaseOf(
  { charge: { policy, key }, ahead }: PendingCharge,
  { now, states }: Taken,
  i: number,
  asked: number,
  heard: number,
): Lease {
  const left = states[i]!;
  const seen = [...left];
  const ends = policy.algorithm.expires(seen, policy.params(now));
  return { policy, key, left, now, asked, heard, ends, held: ahead, seen, seenAt: now };
}

/** Whether a store's answer is its own, on all that it knows. */
export function isComplete({ degraded, policies }: Taken): boolean {
  return degraded !== true && policies === undefined;
}

/** Notes what is left of each key; of what a fallback grants, or a guess, nothing is charged in advance. */
function noteAnswer(pending: readonly PendingCharge[], taken: Taken): void {
  const { now, states } = taken;
  for (const [i, { charge, account }] of pending.entries()) {
    if (!isComplete(taken)) {
      account.remaining = 0;
      continue;
    }
    const { policy, cost } = charge;
    const state = states[i]!;
    account.remaining = policy.algorithm.view(state, now, cost, policy.params(now)).remaining;
    account.answeredAt = now;
    const { lease } = account;
    if (!lease || now < lease.seenAt) continue;
    lease.seen = [...state];
    lease.seenAt = now;
  }
}

/** Whether everything that refused may have done so only for units that this process asked for, holds or gave back. */
function isWorthAsking(pending: readonly PendingCharge[], taken: Taken): boolean {
  const { fits } = taken;
  if (!isComplete(taken)) return pending.some(({ ahead }) => ahead > 0);
  return pending.every(({ account, ahead, timesGivenBack }, i) => {
    const isHolding = account.lease !== undefined && account.lease.held > 0;
    return fits[i] || ahead > 0 || isHolding || account.timesGivenBack !== timesGivenBack;
  });
}

/** Returns a refusal as if this process held nothing, for the request's own costs. */
function refused(pending: readonly PendingCharge[], taken: Taken): Taken {
  if (!isComplete(taken)) return taken;
  const states: (readonly number[])[] = [];
  const fits = pending.map(({ charge: { policy, cost }, account: { lease } }, i) => {
    const left = taken.states[i]!;
    const state = lease ? withoutHeld(left, taken.now, lease) : left;
    states.push(state);
    return fitsBy(state, policy, cost, taken.now);
  });
  // Nothing was charged, so it stays a refusal.
  const charges = pending.map(({ charge }) => charge);
  return passes(charges, fits) ? taken : { ...taken, fits, states };
}
