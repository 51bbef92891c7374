import { settled } from "../awaitable.ts";
import { checkLeasedOptions, type LeasedStoreOptions } from "../options/leased-options.ts";
import { type Charge, counterOf, type Receipt, type Store, type Taken } from "../store.ts";
import { createAccounts } from "./accounts.ts";
import { earliest, elapsedClock, fitsBy } from "./answered.ts";
import { giveTo, refundOf, withoutHeld } from "./lease.ts";
import { createPay, isComplete } from "./payments.ts";

/** A store that charges in advance, and gives back what it holds when it is closed. */
export interface LeasedStore extends Store {
  /** Gives everything back; the store behind it stays open. May be called twice. */
  close(): Promise<void>;
}

/**
 * Creates a store that charges busy keys in advance, in the given store, and answers the requests that follow from what
 * it holds, synchronously. Units are charged before they are used, so all processes together admit no more than was
 * charged. A process holds at most `share` of what was left of a key, and no more of it than it has lately used within
 * `maxAge`; close to the limit it holds nothing, and every request asks. In any interval at most what all processes held
 * at its beginning passes beyond what the algorithm admits; in a fixed window, nothing does. Units that were not used
 * within `maxAge` are given back when requests next ask the store, and by `close`.
 *
 * The store always decides on `peek`, and on requests that name a key twice or have a policy that is a log or a leaky
 * bucket, has a ban, counts refusals or is a shadow. Throws a `ConfigError` for an invalid option.
 */
export function leasedStore(store: Store, options: LeasedStoreOptions = {}): LeasedStore {
  const checked = checkLeasedOptions(store, options);
  const { share = 0.01, maxAge = 1000, maxKeys = 10_000 } = checked;
  const clock = elapsedClock(checked.clock);
  const accounts = createAccounts({ store, share, maxAge, maxKeys });
  const pay = createPay({ store, accounts, clock });

  /** Corrects a look by what is held, which can be spent or goes back. */
  function looked(charges: readonly Charge[], names: readonly string[], taken: Taken): Taken {
    if (!isComplete(taken)) return taken;
    const fits = [...taken.fits];
    const states = charges.map(({ policy, cost }, i) => {
      const lease = accounts.find(names[i]!)?.lease;
      if (!lease) return taken.states[i]!;
      const state = withoutHeld(taken.states[i]!, taken.now, lease);
      fits[i] = fitsBy(state, policy, cost, taken.now);
      return state;
    });
    return { ...taken, fits, states };
  }

  /** Takes a refund out of what is known of a key. */
  function noteRefund({ charges, now: at, fits, states }: Receipt): void {
    const local = clock();
    charges.forEach((charge, i) => {
      const lease = accounts.find(counterOf(charge))?.lease;
      if (!lease || !fits[i]) return;
      const { policy, key, cost } = charge;
      const left = states[i]!;
      const now = Math.max(earliest(lease, local), lease.seenAt);
      giveTo(lease.seen, now, cost, { policy, key, now: at, left }, left);
    });
  }

  return {
    take(charges, keep) {
      const names = charges.map(counterOf);
      const local = clock();
      if (!keep) {
        accounts.sweep(local);
        return settled(store.take(charges, false), (taken) => looked(charges, names, taken));
      }
      if (charges.every(isLeasable) && !names.some((name, i) => names.indexOf(name) < i)) {
        const payers = charges.map((charge, i) => accounts.of(charge, names[i]!, local));
        return pay(charges, payers, local);
      }
      accounts.sweep(local);
      // Else the store would refuse for what is held, or charge less of a cost that is settled afterwards.
      for (const name of names) {
        const account = accounts.find(name);
        if (account) accounts.drop(account);
      }
      // Not every thenable returns a promise from `then`.
      return settled(store.take(charges, true), (taken) => taken);
    },

    give(receipt) {
      const parts = byPayer(receipt);
      for (const part of parts) noteRefund(part);
      if (parts.length === 1) return settled(store.give(parts[0]!), () => {});
      return Promise.all(parts.map(async (part) => store.give(part))).then(() => {});
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

/** Splits a receipt into what its own call charged, and what leases have paid. */
function byPayer(receipt: Receipt): readonly Receipt[] {
  const { charges, fits, states } = receipt;
  const refunds = states.map((state, i) => refundOf(state, charges[i]!.cost));
  if (refunds.every((refund) => refund === undefined)) return [receipt];
  return refunds.map((refund, i) => {
    if (refund && fits[i]) return refund;
    return { ...receipt, charges: [charges[i]!], fits: [fits[i]!], states: [states[i]!] };
  });
}
