import { type Awaitable, isPromise } from "../awaitable.ts";
import { checkTaken } from "../check-taken.ts";
import type { Clock } from "../clock.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";
import type { Account, Accounts } from "./accounts.ts";
import { earliest } from "./answered.ts";
import { type Lease, paid, withoutHeld } from "./lease.ts";

/** One charge that the store is asked for. */
interface Question {
  readonly charge: Charge;
  readonly account: Account;
  /** Units to charge beyond the cost. */
  readonly ahead: number;
  /** How often the account had given units back. */
  readonly returns: number;
}

/** What pays requests: the store, and the accounts of what it was charged ahead. */
export interface PaymentsDeps {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly clock: Clock;
}

/** Pays for requests, by what is held if that pays for all charges, else by the store; `payers[i]` is for charge i. */
export type Pay = (charges: readonly Charge[], payers: readonly Account[]) => Awaitable<Taken>;

/** How often a request that is refused asks again because units of its keys have come back meanwhile. */
const mostRounds = 4;

/** Creates the payments of a `leasedStore`. */
export function createPay({ store, accounts, clock }: PaymentsDeps): Pay {
  function pay(charges: readonly Charge[], payers: readonly Account[], round: number) {
    const local = clock();
    const canPay = payers.every((account, i) => accounts.canPay(account, charges[i]!.cost, local));
    if (canPay && charges.length > 0) return spend(charges, payers, local);
    accounts.sweep(local);
    const questions = charges.map((charge, i): Question => {
      const account = payers[i]!;
      const isHeld = accounts.canPay(account, charge.cost, local);
      if (!isHeld) accounts.drop(account);
      const ahead = isHeld || round > 1 ? 0 : accounts.ahead(account, charge.cost, local);
      return { charge, account, ahead, returns: account.returns };
    });
    return ask(questions, local, round);
  }

  function spend(charges: readonly Charge[], payers: readonly Account[], local: number): Taken {
    let now = 0;
    for (const { lease } of payers) now = Math.max(now, earliest(lease!, local), lease!.seenAt);
    const states = charges.map(({ cost }, i) => {
      const account = payers[i]!;
      const lease = account.lease!;
      accounts.noteUse(account, cost, local);
      lease.held -= cost;
      return paid(withoutHeld(lease.seen, now, lease), lease, lease.held);
    });
    return { now, fits: charges.map(() => true), states };
  }

  function ask(questions: readonly Question[], asked: number, round: number): Awaitable<Taken> {
    const charges = questions.map(({ charge, ahead }) => {
      return ahead > 0 ? { ...charge, cost: charge.cost + ahead } : charge;
    });
    const noteAsking = (askedAt: number | undefined): void => {
      for (const { account, ahead } of questions) if (ahead > 0) account.askedAt = askedAt;
    };
    const answered = (taken: Taken): Awaitable<Taken> => {
      noteAsking(undefined);
      checkTaken(charges, taken);
      if (!isWhole(taken)) return incomplete(questions, taken, asked);
      noteAnswer(questions, taken);
      if (passes(charges, taken.fits)) return admitted(questions, taken, asked);
      return isWorthAsking(questions, taken, round)
        ? again(questions, taken, round)
        : refused(questions, taken);
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

  function admitted(questions: readonly Question[], taken: Taken, asked: number): Taken {
    const heard = clock();
    const states = questions.map((question, i) => {
      const { account, charge, ahead } = question;
      const { policy, key, cost } = charge;
      const { now } = taken;
      const left = taken.states[i]!;
      accounts.noteUse(account, cost, heard);
      if (ahead > 0) {
        const lease = leaseOf(question, taken, i, asked, heard);
        const shown = paid(withoutHeld(left, now, lease), lease, ahead);
        accounts.keep(account, lease);
        return shown;
      }
      const { lease } = account;
      if (!lease) return left;
      return paid(withoutHeld(left, now, lease), { policy, key, now, left });
    });
    return { ...taken, states };
  }

  function again(questions: readonly Question[], { fits }: Taken, round: number): Awaitable<Taken> {
    const local = clock();
    const canPay = questions.every(({ account, charge }) => {
      return accounts.canPay(account, charge.cost, local);
    });
    for (const [i, { account }] of questions.entries()) {
      if (!canPay && !fits[i]) accounts.drop(account);
    }
    const charges = questions.map(({ charge }) => charge);
    const payers = questions.map(({ account }) => account);
    return pay(charges, payers, round + 1);
  }

  /** What a fallback admits, or a guess, is not for later: nothing is held of it, or charged ahead the next time. */
  function incomplete(questions: readonly Question[], taken: Taken, asked: number): Taken {
    const heard = clock();
    questions.forEach((question, i) => {
      const { account, ahead } = question;
      account.remaining = 0;
      if (ahead === 0 || !taken.fits[i]) return;
      accounts.giveBack(leaseOf(question, taken, i, asked, heard));
    });
    return taken;
  }

  return (charges, payers) => pay(charges, payers, 1);
}

function leaseOf(
  { charge: { policy, key }, ahead }: Question,
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
export function isWhole({ degraded, policies }: Taken): boolean {
  return degraded !== true && policies === undefined;
}

function noteAnswer(questions: readonly Question[], { now, states }: Taken): void {
  questions.forEach(({ charge: { policy, cost }, account }, i) => {
    const state = states[i]!;
    const { remaining } = policy.algorithm.view(state, now, cost, policy.params(now));
    account.remaining = remaining;
    account.answeredAt = now;
    const { lease } = account;
    if (!lease || now < lease.seenAt) return;
    lease.seen = [...state];
    lease.seenAt = now;
  });
}

/** Whether everything that refused may have done so only for units that this process holds, or has given back. */
function isWorthAsking(questions: readonly Question[], { fits }: Taken, round: number): boolean {
  if (round === mostRounds) return false;
  return questions.every(({ account, ahead, returns }, i) => {
    const isHeld = account.lease !== undefined && account.lease.held > 0;
    return fits[i] || ahead > 0 || isHeld || account.returns !== returns;
  });
}

/** Tells of the real costs, and counts what is held as unused. */
function refused(questions: readonly Question[], taken: Taken): Taken {
  const states: (readonly number[])[] = [];
  const fits = questions.map(({ charge: { policy, cost }, account: { lease } }, i) => {
    const left = taken.states[i]!;
    const state = lease ? withoutHeld(left, taken.now, lease) : left;
    states.push(state);
    const { now } = taken;
    return policy.algorithm.view(state, now, cost, policy.params(now)).retryAfter === 0;
  });
  return { ...taken, fits, states };
}
