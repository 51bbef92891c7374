import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { checkTaken } from "../check-taken.ts";
import { exactClock, wholeClock } from "../clock.ts";
import { checkLeasedOptions, type LeasedStoreOptions } from "../options/leased-options.ts";
import { type Charge, counterOf, passes, type Receipt, type Store, type Taken } from "../store.ts";
import { type Account, createAccounts } from "./accounts.ts";
import { earliest } from "./answered.ts";
import { type Lease, payerOf, receiptFrom, shownState } from "./lease.ts";

/** How one charge of a request is paid: by a lease, which has set its cost aside, or by the store. */
interface Payment {
  readonly charge: Charge;
  readonly account: Account;
  readonly lease: Lease | undefined;
  /** Units to charge beyond the cost. */
  readonly ahead: number;
}

/**
 * Creates a store that charges busy keys ahead, in the given store, and answers the requests that follow from what it
 * holds, synchronously. Units are charged before they are used, so what all processes admit is never more than what was
 * charged. A process holds at most `share` of what was left of a key, no more than it lately used of it in `maxAge`,
 * and nothing near the limit, where every request asks. In any interval at most what all processes held at its
 * beginning passes beyond what the algorithm admits; in a fixed window, nothing does. What was not used is given back
 * once it is older than `maxAge` and a key asks the store, and by `close`.
 *
 * The store always decides on looks, and on requests with a policy that is a log or a leaky bucket, has a ban, counts
 * refusals or is a shadow. Throws a `ConfigError` for an invalid option.
 */
export function leasedStore(store: Store, options: LeasedStoreOptions = {}): Store {
  const checked = checkLeasedOptions(store, options);
  const { share = 0.01, maxAge = 1000, maxKeys = 10_000 } = checked;
  // Not rounded to milliseconds: it measures the time since an answer.
  const clock = checked.clock === undefined ? exactClock : wholeClock(checked.clock);
  const accounts = createAccounts({ store, share, maxAge, maxKeys, clock });

  /** Pays a request from leases, one for each charge. */
  function spend(charges: readonly Charge[], payers: readonly Account[], local: number): Taken {
    let now = 0;
    for (const { lease } of payers) now = Math.max(now, earliest(lease!, local));
    const states = charges.map(({ cost }, i) => {
      const { lease } = payers[i]!;
      accounts.noteUse(payers[i]!, cost, local);
      lease!.held -= cost;
      return shownState(lease!.left, now, lease!);
    });
    return { now, fits: charges.map(() => true), states };
  }

  function planned(charge: Charge, account: Account, local: number): Payment {
    const lease = accounts.lender(account, charge.cost, local);
    if (lease) lease.held -= charge.cost;
    else accounts.drop(account);
    accounts.touch(account, local);
    const ahead = lease ? 0 : accounts.ahead(account, charge.cost, local);
    return { charge, account, lease, ahead };
  }

  function ask(payments: readonly Payment[]): Awaitable<Taken> {
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
      if (isTooMuch) return ask(payments.map((payment) => ({ ...payment, ahead: 0 })));
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

  /** Corrects a look by what is held, which can be spent or goes back. */
  function looked(charges: readonly Charge[], names: readonly string[], taken: Taken): Taken {
    if (!isWhole(taken)) return taken;
    const fits = [...taken.fits];
    const states = charges.map(({ policy, cost }, i) => {
      const lease = accounts.find(names[i]!)?.lease;
      if (lease?.policy !== policy) return taken.states[i]!;
      const shown = shownState(taken.states[i]!, taken.now, lease);
      const view = policy.algorithm.view(shown, taken.now, cost, policy.params(taken.now));
      fits[i] = view.retryAfter === 0;
      return shown;
    });
    return { ...taken, fits, states };
  }

  return {
    take(charges, keep) {
      const names = charges.map(counterOf);
      if (!keep)
        return settled(store.take(charges, false), (taken) => looked(charges, names, taken));
      if (!charges.every(isLeasable) || (names.length > 1 && new Set(names).size < names.length)) {
        // Nobody is refused for what is held.
        for (const name of names) {
          const account = accounts.find(name);
          if (account) accounts.drop(account);
        }
        return settled(store.take(charges, true), (taken) => taken);
      }
      const local = clock();
      const known = charges.map((charge, i) => accounts.of(charge, names[i]!, local));
      const areHeld = known.every((account, i) =>
        accounts.lender(account, charges[i]!.cost, local),
      );
      if (areHeld && charges.length > 0) return spend(charges, known, local);
      return ask(charges.map((charge, i) => planned(charge, known[i]!, local)));
    },

    give(receipt) {
      const given = byPayer(receipt).map((part) => store.give(part));
      return given.some(isPromise) ? Promise.all(given).then(() => {}) : undefined;
    },

    reset(policy, key) {
      const name = counterOf({ policy, key });
      accounts.forget(name);
      return settled(store.reset(policy, key), () => accounts.forget(name));
    },

    close: () => accounts.close(),

    place: store.place ?? store,
  };
}

function isLeasable({ policy }: Charge): boolean {
  const { algorithm, shadow, countRefused } = policy;
  return algorithm.isLeasable === true && !shadow && !countRefused;
}

function noteAsking(payments: readonly Payment[], isAsking: boolean): void {
  for (const { account, ahead } of payments) if (ahead > 0) account.isAsking = isAsking;
}

/** Whether an answer is the store's own, on all that it knows. */
function isWhole({ degraded, policies }: Taken): boolean {
  return degraded !== true && policies === undefined;
}

/** Notes what is left of a key; of a share or a guess, nothing may be taken ahead. */
function noteRemaining({ charge, account }: Payment, taken: Taken, i: number): void {
  const { policy, cost } = charge;
  const { now, states } = taken;
  account.remaining = isWhole(taken)
    ? policy.algorithm.view(states[i]!, now, cost, policy.params(now)).remaining
    : 0;
}

/** Splits a receipt into what the store was charged, and what each lease has paid. */
function byPayer(receipt: Receipt): readonly Receipt[] {
  const { charges, fits, states } = receipt;
  const payers = states.map(payerOf);
  if (payers.every((payer) => payer === undefined)) return [receipt];
  return payers.map((payer, i) => {
    if (payer && fits[i]) return receiptFrom(payer, charges[i]!.cost);
    return { ...receipt, charges: [charges[i]!], fits: [fits[i]!], states: [states[i]!] };
  });
}
