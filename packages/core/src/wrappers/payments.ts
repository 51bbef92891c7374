import { type Awaitable, isPromise } from "../awaitable.ts";
import { checkTaken } from "../check-taken.ts";
import type { Clock } from "../clock.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";
import type { Account, Accounts } from "./accounts.ts";
import { earliest } from "./answered.ts";
import { type Lease, shownState } from "./lease.ts";

/** How one charge of a request is paid: by a lease, which has set its cost aside, or by the store. */
interface Payment {
  readonly charge: Charge;
  readonly account: Account;
  readonly lease: Lease | undefined;
  /** Units to charge beyond the cost. */
  readonly ahead: number;
}

/** What pays requests: the store, and the accounts that it was charged ahead for. */
export interface PaymentsDeps {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly clock: Clock;
}

/** Pays requests; `payers[i]` is the account of charge i. */
export interface Payments {
  /** Pays from leases; each must be able to pay its charge. */
  spend(charges: readonly Charge[], payers: readonly Account[], local: number): Taken;
  /** Asks the store for what leases cannot pay, and for more to come. */
  ask(charges: readonly Charge[], payers: readonly Account[], local: number): Awaitable<Taken>;
}

/** Creates the payments of a `leasedStore`. */
export function createPayments({ store, accounts, clock }: PaymentsDeps): Payments {
  function planned(charge: Charge, account: Account, local: number): Payment {
    const lease = accounts.lender(account, charge.cost, local);
    if (lease) lease.held -= charge.cost;
    else accounts.drop(account);
    accounts.touch(account, local);
    const ahead = lease ? 0 : accounts.ahead(account, charge.cost, local);
    return { charge, account, lease, ahead };
  }

  function askFor(payments: readonly Payment[]): Awaitable<Taken> {
    const charges = payments.map(({ charge, lease, ahead }) => {
      return { ...charge, cost: lease ? 0 : charge.cost + ahead };
    });
    const asked = clock();
    const answered = (taken: Taken): Awaitable<Taken> => {
      try {
        checkTaken(charges, taken);
      } catch (error) {
        return failed(error);
      }
      noteAsking(payments, false);
      if (passes(charges, taken.fits)) return admitted(payments, taken, asked);
      const isTooMuch = payments.some(({ ahead }) => ahead > 0);
      if (isTooMuch) return askFor(payments.map((payment) => ({ ...payment, ahead: 0 })));
      return refused(payments, taken);
    };
    const failed = (error: unknown): never => {
      noteAsking(payments, false);
      putBack(payments);
      throw error;
    };
    noteAsking(payments, true);
    let taken: Awaitable<Taken>;
    try {
      taken = store.take(charges, true);
    } catch (error) {
      return failed(error);
    }
    return isPromise(taken) ? Promise.resolve(taken).then(answered, failed) : answered(taken);
  }

  /** Puts back what a request set aside and does not use. */
  function putBack(payments: readonly Payment[]): void {
    for (const { charge, account, lease } of payments) {
      if (!lease) continue;
      lease.held += charge.cost;
      if (account.lease !== lease) void accounts.surrender(lease);
    }
  }

  function admitted(payments: readonly Payment[], taken: Taken, asked: number): Taken {
    const heard = clock();
    const states = payments.map((payment, i) => {
      const { charge, account, lease, ahead } = payment;
      accounts.noteUse(account, charge.cost, heard);
      noteRemaining(payment, taken, i);
      const { policies, now } = taken;
      const left = taken.states[i]!;
      if (lease) return shownState(left, now, lease, policies?.[i]);
      if (ahead === 0) return left;
      const { policy, key } = charge;
      const ends = policy.algorithm.expires([...left], policy.params(now));
      const fresh: Lease = { policy, key, left, ends, held: ahead, now, asked, heard };
      const shown = shownState(left, now, fresh, policies?.[i]);
      // What a fallback admits is not for later, nor what a key had before it was reset.
      if (isWhole(taken) && accounts.find(account.name) === account) account.lease = fresh;
      else void accounts.surrender(fresh);
      return shown;
    });
    return { ...taken, states };
  }

  function refused(payments: readonly Payment[], taken: Taken): Taken {
    putBack(payments);
    const states = payments.map((payment, i) => {
      noteRemaining(payment, taken, i);
      const left = taken.states[i]!;
      const { lease } = payment;
      return lease ? shownState(left, taken.now, lease, taken.policies?.[i]) : left;
    });
    return { ...taken, states };
  }

  return {
    spend(charges, payers, local) {
      let now = 0;
      for (const { lease } of payers) now = Math.max(now, earliest(lease!, local));
      const states = charges.map(({ cost }, i) => {
        const account = payers[i]!;
        const lease = account.lease!;
        accounts.noteUse(account, cost, local);
        lease.held -= cost;
        return shownState(lease.left, now, lease);
      });
      return { now, fits: charges.map(() => true), states };
    },

    ask: (charges, payers, local) =>
      askFor(charges.map((charge, i) => planned(charge, payers[i]!, local))),
  };
}

/** Whether an answer is the store's own, on all that it knows. */
export function isWhole({ degraded, policies }: Taken): boolean {
  return degraded !== true && policies === undefined;
}

function noteAsking(payments: readonly Payment[], isAsking: boolean): void {
  for (const { account, ahead } of payments) if (ahead > 0) account.isAsking = isAsking;
}

/** Notes what is left of a key; of a share or a guess, nothing may be taken ahead. */
function noteRemaining({ charge, account }: Payment, taken: Taken, i: number): void {
  const { policy, cost } = charge;
  const { now, states } = taken;
  account.remaining = isWhole(taken)
    ? policy.algorithm.view(states[i]!, now, cost, policy.params(now)).remaining
    : 0;
}
