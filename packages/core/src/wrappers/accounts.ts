import { isPromise } from "../awaitable.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Store } from "../store.ts";
import { type Demand, expectedUse, isIdle, noteUse } from "./demand.ts";
import { isUsable, type Lease, receiptFrom } from "./lease.ts";

/** What a process knows of one key, and holds of it. */
export interface Account {
  /** Of its counter, as of `counterOf`. */
  readonly name: string;
  readonly policy: Policy;
  readonly demand: Demand;
  /** What was left when the store last answered, at this time of its clock; 0 before. */
  remaining: number;
  answeredAt: number;
  /** The local time of a call that charges in advance and is under way. */
  askedAt: number | undefined;
  lease: Lease | undefined;
  /** How often units were given back. */
  timesGivenBack: number;
  /** Whether its counter was deleted: units charged before, but not known yet, count for nothing. */
  isReset: boolean;
}

/** What accounts need: the store, and the bounds of what is charged in advance. */
export interface AccountsDeps {
  readonly store: Store;
  readonly share: number;
  readonly maxAge: number;
  readonly maxKeys: number;
}

/** The accounts of one `leasedStore`. */
export interface Accounts {
  /**
   * Returns the account of a charge's key. Creates one if there is none, for which another may have to go, and replaces
   * one whose policy has another size.
   */
  of(charge: Charge, name: string, local: number): Account;
  find(name: string): Account | undefined;
  /** Whether a usable lease holds at least so many units. */
  canPay(account: Account, cost: number, local: number): boolean;
  /** Returns how many units to charge in advance, together with a cost that no lease can pay. */
  ahead(account: Account, cost: number, local: number): number;
  noteUse(account: Account, units: number, local: number): void;
  /**
   * Keeps a lease in place of an earlier one, whose units are given back. If its account has gone, its own are, unless
   * the counter was deleted.
   */
  keep(account: Account, lease: Lease): void;
  /** Gives back what an account holds. */
  drop(account: Account): void;
  /** Gives back what a lease holds. */
  giveBack(lease: Lease): void;
  /** Looks at the next accounts, and gives back what they have held for too long. */
  sweep(local: number): void;
  /** Removes the account of a counter that is deleted, with all that it holds. */
  forget(name: string): void;
  /** Gives everything back. */
  close(): Promise<void>;
}

/** The fewest units that a key must be expected to use: giving back what it does not use costs a call too. */
const fewestUnits = 10;
/** How many accounts are looked at for one that is not in use, before one that is has to go. */
const evictionTries = 8;

/** Creates accounts. */
export function createAccounts({ store, share, maxAge, maxKeys }: AccountsDeps): Accounts {
  const accounts = new Map<string, Account>();
  /** Goes round; a new iterator each time would have to pass over what was deleted. */
  let hand = accounts.values();

  function next(): Account | undefined {
    const { value } = hand.next();
    if (value) return value;
    hand = accounts.values();
    return hand.next().value;
  }

  function isHolding({ lease }: Account, local: number): boolean {
    return lease !== undefined && isUsable(lease, local, maxAge);
  }

  function isAsking({ askedAt }: Account, local: number): boolean {
    return askedAt !== undefined && local >= askedAt && local - askedAt < maxAge;
  }

  /** Never rejects: what cannot be given back stays charged, which errs on the strict side. */
  async function surrender(lease: Lease): Promise<void> {
    const units = lease.held;
    lease.held = 0;
    if (units === 0) return;
    try {
      const given = store.give(receiptFrom(lease, units));
      if (isPromise(given)) await given;
    } catch {}
  }

  async function drop(account: Account): Promise<void> {
    const { lease } = account;
    account.lease = undefined;
    if (!lease) return;
    if (lease.held > 0) account.timesGivenBack++;
    await surrender(lease);
  }

  async function remove(account: Account): Promise<void> {
    accounts.delete(account.name);
    await drop(account);
  }

  function makeRoom(local: number): void {
    for (let left = evictionTries; left > 0; left--) {
      const account = next();
      if (!account) return;
      if (left > 1 && (isHolding(account, local) || isAsking(account, local))) continue;
      void remove(account);
      return;
    }
  }

  return {
    of({ policy }, name, local) {
      const known = accounts.get(name);
      if (known && isSameSize(known, policy)) return known;
      if (known) void remove(known);
      if (accounts.size >= maxKeys) makeRoom(local);
      const account = {
        name,
        policy,
        demand: { since: local, used: 0, usedBefore: 0 } satisfies Demand,
        remaining: 0,
        answeredAt: 0,
        askedAt: undefined,
        lease: undefined,
        timesGivenBack: 0,
        isReset: false,
      };
      accounts.set(name, account);
      return account;
    },

    find: (name) => accounts.get(name),

    canPay: (account, cost, local) => isHolding(account, local) && account.lease!.held >= cost,

    ahead(account, cost, local) {
      if (cost === 0 || isAsking(account, local)) return 0;
      const { policy, remaining, demand } = account;
      const expected = expectedUse(demand, local, maxAge);
      if (expected < fewestUnits) return 0;
      return Math.max(0, Math.min(Math.floor(share * remaining), expected, policy.maxCost - cost));
    },

    noteUse: ({ demand }, units, local) => noteUse(demand, units, local, maxAge),

    keep(account, lease) {
      if (accounts.get(account.name) === account) {
        void drop(account);
        account.lease = lease;
      } else if (!account.isReset) void surrender(lease);
    },

    drop: (account) => void drop(account),
    giveBack: (lease) => void surrender(lease),

    sweep(local) {
      for (let left = 2; left > 0; left--) {
        const account = next();
        if (!account || isHolding(account, local) || isAsking(account, local)) continue;
        if (isIdle(account.demand, local, maxAge)) void remove(account);
        else if (account.lease) void drop(account);
      }
    },

    forget(name) {
      const account = accounts.get(name);
      if (!account) return;
      account.isReset = true;
      account.lease = undefined;
      accounts.delete(name);
    },

    async close() {
      await Promise.all([...accounts.values()].map(remove));
    },
  };
}

/** Whether an account's numbers mean the same to a policy, at the store's time of its latest answer. */
function isSameSize({ policy, answeredAt }: Account, other: Policy): boolean {
  if (policy === other) return true;
  if (answeredAt === 0) return false;
  if (policy.algorithm !== other.algorithm || policy.limit !== other.limit) return false;
  const [params, others] = [policy.params(answeredAt), other.params(answeredAt)];
  return params.length === others.length && params.every((number, i) => number === others[i]);
}
