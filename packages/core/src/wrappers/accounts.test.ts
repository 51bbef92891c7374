import { describe, expect, it, test, vi } from "vitest";
import { noUnhandledRejections } from "../../test/leases/unhandled-rejections.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import type { Policy, PolicySettings } from "../policy.ts";
import type { Receipt, Store } from "../store.ts";
import { type Account, type Accounts, createAccounts } from "./accounts.ts";
import type { Lease } from "./lease.ts";

const maxAge = 1000;
const settings = { algorithm: "token-bucket", limit: 1000, window: 10_000, burst: 2000 } as const;
const policy = policyOf(settings);

/** Accounts of a store that notes how many units come back. */
function opened({ share = 0.5, maxKeys = 100, give }: Partial<Setting> = {}) {
  const refunds: number[] = [];
  const noted = (receipt: Receipt): void => void refunds.push(receipt.charges[0]!.cost);
  const store = { give: give ?? noted } as Partial<Store> as Store;
  const accounts = createAccounts({ store, share, maxAge, maxKeys });
  return { accounts, refunds };
}

interface Setting {
  readonly share: number;
  readonly maxKeys: number;
  readonly give: Store["give"];
}

function open(accounts: Accounts, key: string, local: number, of: Policy = policy): Account {
  return accounts.of({ policy: of, key, cost: 1 }, key, local);
}

/** A lease of so many units of a key. */
function lease(key: string, held: number, asked = 0): Lease {
  const left = [held * 10, 0, 10, 1];
  const times = { now: asked, asked, heard: asked, ends: asked + 1e6 };
  return { policy, key, left, ...times, held, seen: [...left], seenAt: asked };
}

/** An account that holds so many units. */
function holding(accounts: Accounts, key: string, held: number, asked = 0): Account {
  const account = open(accounts, key, asked);
  account.answeredAt = asked + 1;
  accounts.keep(account, lease(key, held, asked));
  return account;
}

describe("units are charged in advance", () => {
  test.each([
    ["as many as are expected", { used: 40 }, 40],
    ["up to the share of what was left", { used: 400, remaining: 101 }, 50],
    ["not for a key that is hardly used", { used: 9 }, 0],
    ["for one that is used a little more", { used: 10 }, 10],
    ["up to what fits at once beside the cost", { used: 4000, remaining: 9000, cost: 1999 }, 1],
    ["not for more than ever fits", { used: 40, cost: 2001 }, 0],
    ["not for a cost of nothing", { used: 40, cost: 0 }, 0],
    ["not while a call does so", { used: 40, askedAt: 0 }, 0],
    ["again once that call has taken too long", { used: 40, askedAt: -maxAge }, 40],
    ["again once the clock has stepped back", { used: 40, askedAt: 1 }, 40],
  ] as const)("%s", (_, given: Given, units) => {
    const { used, remaining = 1000, cost = 1, askedAt } = given;
    const { accounts } = opened();
    const account = open(accounts, "k", 0);
    accounts.noteUse(account, used, 0);
    Object.assign(account, { remaining, askedAt });
    expect(accounts.ahead(account, cost, 0)).toBe(units);
  });
});

interface Given {
  readonly used: number;
  readonly remaining?: number;
  readonly cost?: number;
  readonly askedAt?: number;
}

describe("what an account holds", () => {
  noUnhandledRejections();

  it.each([
    [10, 0, true],
    [11, 0, false],
    [1, maxAge, false],
    [1, -1, false],
  ])("pays a cost of %i at %i: %s", (cost, local, pays) => {
    const { accounts } = opened();
    expect(accounts.canPay(holding(accounts, "k", 10), cost, local)).toBe(pays);
  });

  it("is given back once, however often it is dropped", () => {
    const { accounts, refunds } = opened();
    const held = lease("k", 7);
    accounts.giveBack(held);
    accounts.giveBack(held);
    const account = holding(accounts, "k", 5);
    accounts.drop(account);
    accounts.drop(account);
    expect(refunds).toEqual([7, 5]);
    expect(account).toMatchObject({ lease: undefined, timesGivenBack: 1 });
  });

  it("is not given back, or counted as such, if all of it was spent", () => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "k", 0);
    accounts.drop(account);
    expect(refunds).toEqual([]);
    expect(account.timesGivenBack).toBe(0);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("down"))],
  ] as const)("stays charged where the store %s", async (_, give) => {
    const { accounts } = opened({ give });
    const account = holding(accounts, "a", 5);
    accounts.drop(account);
    accounts.giveBack(lease("b", 5));
    holding(accounts, "c", 5);
    await expect(accounts.close()).resolves.toBeUndefined();
    expect(account.lease).toBeUndefined();
  });

  it("is given back by close, which waits for the store", async () => {
    let answer = (): void => {};
    const given = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { accounts } = opened({ give: () => given });
    holding(accounts, "a", 5);
    holding(accounts, "b", 0);
    const closed = vi.fn();
    const closing = accounts.close().then(closed);
    await Promise.resolve();
    expect(accounts.find("a")).toBeUndefined();
    expect(closed).not.toHaveBeenCalled();
    answer();
    await closing;
    expect(closed).toHaveBeenCalled();
  });

  it("is given back at once if its account has gone meanwhile", () => {
    const { accounts, refunds } = opened({ maxKeys: 1 });
    const account = open(accounts, "a", 0);
    open(accounts, "b", 0);
    accounts.keep(account, lease("a", 5));
    expect(account.lease).toBeUndefined();
    expect(refunds).toEqual([5]);
  });

  it("is gone with its counter, also what is charged meanwhile", () => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "a", 5);
    accounts.forget("a");
    accounts.forget("unknown");
    accounts.keep(account, lease("a", 3));
    expect(accounts.find("a")).toBeUndefined();
    expect(refunds).toEqual([]);
  });
});

describe("an account is used by", () => {
  const other: Partial<PolicySettings> = {};
  test.each([
    ["the same policy", other, true],
    ["an equal policy", { name: "q" }, true],
    ["no policy of another limit", { limit: 2000 }, false],
    ["no policy of another window", { window: 20_000 }, false],
    ["no policy of another burst", { burst: 1000 }, false],
    ["no policy of another algorithm", { algorithm: "leaky-bucket" }, false],
  ] as const)("%s", (_, more: Partial<PolicySettings>, isShared) => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "k", 5);
    account.answeredAt = 1;
    const found = open(
      accounts,
      "k",
      0,
      more === other ? policy : policyOf({ ...settings, ...more }),
    );
    expect(found === account).toBe(isShared);
    expect(refunds).toEqual(isShared ? [] : [5]);
    expect(accounts.find("k")).toBe(found);
  });

  it("no other policy, before the store's time is known", () => {
    const { accounts } = opened();
    expect(open(accounts, "k", 0, policyOf(settings))).not.toBe(open(accounts, "k", 0));
  });

  it("no policy whose numbers have another count", () => {
    const { accounts } = opened();
    const day = policyOf({ algorithm: "fixed-window", limit: 9, window: "day" });
    const fixed = policyOf({ algorithm: "fixed-window", limit: 9, window: day.window });
    const account = open(accounts, "k", 0, fixed);
    account.answeredAt = 1;
    account.answeredAt = 1;
    expect(open(accounts, "k", 0, day)).not.toBe(account);
  });
});

describe("where all places are taken", () => {
  it("the account goes that is not in use", () => {
    const { accounts, refunds } = opened({ maxKeys: 3 });
    holding(accounts, "held", 5);
    open(accounts, "asking", 0).askedAt = 0;
    open(accounts, "idle", 0);
    open(accounts, "new", 0);
    expect(
      ["held", "asking", "idle", "new"].map((key) => accounts.find(key) !== undefined),
    ).toEqual([true, true, false, true]);
    expect(refunds).toEqual([]);
  });

  it("one that is in use goes after eight looks", () => {
    const { accounts, refunds } = opened({ maxKeys: 9 });
    for (let i = 0; i < 9; i++) holding(accounts, `${i}`, 10 + i);
    open(accounts, "new", 0);
    expect(refunds).toEqual([17]);
    expect(accounts.find("7")).toBeUndefined();
  });

  it("one goes that is not in use, before eight looks are over", () => {
    const { accounts, refunds } = opened({ maxKeys: 9 });
    for (let i = 0; i < 6; i++) holding(accounts, `${i}`, 10 + i);
    for (let i = 6; i < 9; i++) open(accounts, `${i}`, 0);
    open(accounts, "new", 0);
    expect(refunds).toEqual([]);
    expect(accounts.find("6")).toBeUndefined();
  });
});

describe("a sweep", () => {
  it("looks at two accounts, and goes on where the last one ended", () => {
    const { accounts, refunds } = opened();
    for (let i = 0; i < 5; i++) {
      accounts.noteUse(holding(accounts, `${i}`, 10 + i), 1, 0);
    }
    const rounds = [];
    for (let i = 0; i < 3; i++) {
      accounts.sweep(maxAge);
      rounds.push([...refunds]);
    }
    expect(rounds).toEqual([
      [10, 11],
      [10, 11, 12, 13],
      [10, 11, 12, 13, 14],
    ]);
    expect(accounts.find("0")).toBeDefined();
  });

  test.each([
    [
      "keeps what may be spent",
      { held: 5, used: 0, at: maxAge - 1 },
      { refunds: [], isKept: true },
    ],
    [
      "gives back what is too old",
      { held: 5, used: 0, at: maxAge },
      { refunds: [5], isKept: true },
    ],
    [
      "removes what is not used",
      { held: 5, used: 0, at: 2 * maxAge },
      { refunds: [5], isKept: false },
    ],
    [
      "keeps what was used lately",
      { held: 5, used: 1500, at: 2 * maxAge },
      { refunds: [5], isKept: true },
    ],
  ])("%s", (_, { held, used, at }, { refunds: given, isKept }) => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "k", held);
    accounts.noteUse(account, 1, used);
    accounts.sweep(at);
    expect(refunds).toEqual(given);
    expect(accounts.find("k") !== undefined).toBe(isKept);
  });

  it("leaves alone what a call is charging ahead, until it has taken too long", () => {
    const { accounts } = opened();
    open(accounts, "k", 0).askedAt = 5000;
    accounts.sweep(5000 + maxAge - 1);
    expect(accounts.find("k")).toBeDefined();
    accounts.sweep(5000 + maxAge);
    expect(accounts.find("k")).toBeUndefined();
  });

  it("finds nothing where there are no accounts", () => {
    const { accounts, refunds } = opened();
    accounts.sweep(0);
    expect(refunds).toEqual([]);
  });
});

describe("a lease that is kept", () => {
  it("gives back what an earlier one holds", () => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "k", 5);
    const next = lease("k", 7);
    accounts.keep(account, next);
    expect(refunds).toEqual([5]);
    expect(account.lease).toBe(next);
  });

  it("goes with a counter that is deleted, and so does one on its way", () => {
    const { accounts, refunds } = opened();
    const account = holding(accounts, "k", 5);
    accounts.forget("k");
    accounts.drop(account);
    accounts.keep(account, lease("k", 7));
    expect(refunds).toEqual([]);
    expect(account.lease).toBeUndefined();
  });
});
