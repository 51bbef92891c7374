import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { plainStore } from "./plain-store.ts";
import { type MakeStore, storeSuite } from "./store-suite.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("memoryStore", () => {
  storeSuite(it, (options) => memoryStore(options), { bounded: true });
});

describe("plainStore", () => {
  storeSuite(it, ({ clock }) => ({ store: plainStore({ clock }), close: () => undefined }));
});

describe("storeSuite", () => {
  const wrongs: [name: string, spoil: (store: Store) => Partial<Store>][] = [
    ["takes charges one by one", takesOneByOne],
    [
      "never refuses",
      (store) => ({ take: (charges, keep) => store.take(charges, keep && charges.length < 2) }),
    ],
    ["looks by taking", (store) => ({ take: (charges) => store.take(charges, true) })],
    ["gives nothing", () => ({ give: () => undefined })],
    [
      "gives twice",
      (store) => ({ give: (receipt) => void [store.give(receipt), store.give(receipt)] }),
    ],
    ["resets nothing", () => ({ reset: () => undefined })],
    ["mixes short keys with long ones", cutsKeys],
    ["ignores the name of a policy", mixesPolicies],
    ["charges one key twice where each charge fits alone", overlooksEarlier],
  ];

  it.each(wrongs)("finds a store that %s", async (_name, spoil) => {
    const failed = await failuresOf(({ clock }) => {
      const store = plainStore({ clock });
      return { ...store, ...spoil(store) };
    });
    expect(failed).toBeGreaterThan(0);
  });

  it("closes what was made, also after a failure", async () => {
    let made = 0;
    let closed = 0;
    const failed = await failuresOf(({ clock }) => {
      made++;
      const store = { ...plainStore({ clock }), give: () => Promise.reject(new Error("down")) };
      return { store, close: () => closed++ };
    });
    expect(failed).toBeGreaterThan(0);
    expect(closed).toBe(made);
  });
});

async function failuresOf(make: MakeStore): Promise<number> {
  const tests: (() => Promise<void>)[] = [];
  storeSuite((name, test) => {
    // These alone would find most faults, but take long.
    if (!/thousand|stories/.test(name)) tests.push(test);
  }, make);
  const results = await Promise.allSettled(tests.map((test) => test()));
  return results.filter(({ status }) => status === "rejected").length;
}

function takesOneByOne(store: Store): Partial<Store> {
  return {
    async take(charges, keep) {
      const answers = await Promise.all(charges.map((charge) => store.take([charge], keep)));
      const fits = answers.flatMap((answer) => answer.fits);
      return { now: answers[0]!.now, fits, states: answers.flatMap(({ states }) => states) };
    },
  };
}

function overlooksEarlier(store: Store): Partial<Store> {
  return {
    async take(charges, keep) {
      const looks = await Promise.all(charges.map((charge) => store.take([charge], false)));
      const fits = looks.flatMap((look) => look.fits);
      if (!keep || !fits.every(Boolean)) return store.take(charges, keep);
      const answers = await Promise.all(charges.map((charge) => store.take([charge], true)));
      return { now: answers[0]!.now, fits, states: answers.flatMap(({ states }) => states) };
    },
  };
}

function cutsKeys(store: Store): Partial<Store> {
  return {
    take: (charges, keep) =>
      store.take(
        charges.map((charge) => ({ ...charge, key: charge.key.slice(0, 1000) })),
        keep,
      ),
  };
}

function mixesPolicies(store: Store): Partial<Store> {
  return {
    take: (charges, keep) =>
      store.take(
        charges.map((charge) => ({ ...charge, policy: { ...charge.policy, space: "" } })),
        keep,
      ),
  };
}
