import { type Awaitable, isPromise } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Store } from "../store.ts";
import { type Demand, expectedUse, isIdle, noteUse } from "./demand.ts";
import { hasEnded, isUsable, type Lease, receiptFrom } from "./lease.ts";

/** What a process knows of one key, and holds of it. */
export interface Account {
  /** Of the counter within the store. */
  readonly name: string;
  readonly policy: Policy;
  readonly demand: Demand;
  /** What was left when the store last answered. */
  remaining: number;
  /** Whether a call that charges ahead is under way. */
  isAsking: boolean;
  lease: Lease | undefined;
}

/** What accounts need: the store that is charged, and the bounds of what is taken ahead. */
export interface AccountsDeps {
  readonly store: Store;
  readonly share: number;
  readonly maxAge: number;
  readonly maxKeys: number;
  readonly clock: Clock;
}

/** The accounts of one `leasedStore`. */
export interface Accounts {
  /** Returns the account of a charge's key, a new one if need be. */
  of(charge: Charge, name: string, local: number): Account;
  find(name: string): Account | undefined;
  /** Returns the lease that can pay so much. */
  lender(account: Account, cost: number, local: number): Lease | undefined;
  /** Returns how many units to charge ahead, beside a cost that the account cannot pay. */
  ahead(account: Account, cost: number, local: number): number;
  noteUse(account: Account, units: number, local: number): void;
  /** Makes an account the one that asked last, and drops what others have held for too long. */
  touch(account: Account, local: number): void;
  /** Gives back what an account holds. */
  drop(account: Account): void;
  /** Gives back what a lease holds. */
  surrender(lease: Lease): Awaitable<void>;
  /** Removes an account whose counter is gone, with all that it holds. */
  forget(name: string): void;
  /** Gives everything back. */
  close(): Promise<void>;
}

/** Units that a key must be expected to use: giving back what it does not use costs a call too. */
const fewest = 3;

/** Creates accounts. */
export function createAccounts({ store, share, maxAge, maxKeys, clock }: AccountsDeps): Accounts {
  /** By name; the one that asked last comes last. */
  const accounts = new Map<string, Account>();

  function isHolding({ lease }: Account, local: number): boolean {
    return lease !== undefined && isUsable(lease, local, maxAge);
  }

  function surrender(lease: Lease): Awaitable<void> {
    const units = lease.held;
    lease.held = 0;
    if (units === 0 || hasEnded(lease, clock())) return;
    // What cannot be given back stays charged, which errs on the strict side.
    try {
      const given = store.give(receiptFrom(lease, units));
      if (isPromise(given)) return Promise.resolve(given).catch(() => {});
    } catch {}
  }

  function drop(account: Account): Awaitable<void> {
    const { lease } = account;
    account.lease = undefined;
    return lease && surrender(lease);
  }

  function remove(account: Account): Awaitable<void> {
    accounts.delete(account.name);
    return drop(account);
  }

  /** Makes room for one. Looks at two each time, which is more than are added, so that nothing is held for long. */
  function sweep(local: number): void {
    let left = 2;
    for (const account of accounts.values()) {
      const isOver = accounts.size >= maxKeys;
      if (!isOver && left-- === 0) return;
      const isUsed = account.isAsking || isHolding(account, local);
      if (isOver || (!isUsed && isIdle(account.demand, local, maxAge))) void remove(account);
      else if (!isUsed) void drop(account);
    }
  }

  return {
    of({ policy }, name, local) {
      const known = accounts.get(name);
      if (known?.policy === policy) return known;
      // Another size of the policy: its numbers mean something else.
      if (known) void remove(known);
      const demand: Demand = { since: local, used: 0, usedBefore: 0 };
      const account = { name, policy, demand, remaining: 0, isAsking: false, lease: undefined };
      accounts.set(name, account);
      return account;
    },

    find: (name) => accounts.get(name),

    lender(account, cost, local) {
      const { lease } = account;
      return isHolding(account, local) && lease!.held >= cost ? lease : undefined;
    },

    ahead({ policy, remaining, demand, isAsking }, cost, local) {
      if (cost === 0 || isAsking) return 0;
      const expected = expectedUse(demand, local, maxAge);
      if (expected < fewest) return 0;
      return Math.max(0, Math.min(Math.floor(share * remaining), expected, policy.maxCost - cost));
    },

    noteUse: ({ demand }, units, local) => noteUse(demand, units, local, maxAge),

    touch(account, local) {
      accounts.delete(account.name);
      sweep(local);
      accounts.set(account.name, account);
    },

    drop: (account) => void drop(account),
    surrender,
    forget: (name) => void accounts.delete(name),

    async close() {
      await Promise.all([...accounts.values()].map(remove));
    },
  };
}
