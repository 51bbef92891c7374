import { describe, expect, it } from "vitest";
import type { AlgorithmName } from "./algorithms/index.ts";
import { algorithms } from "./algorithms/index.ts";
import { createLimiter } from "./limiter.ts";
import { memoryStore } from "./memory-store.ts";
import type { Store, Taken } from "./store.ts";

const names = Object.keys(algorithms) as AlgorithmName[];

/** A store whose results are corrupted. */
function spoilt(spoil: (taken: Taken) => unknown, later: boolean): Store {
  const inner = memoryStore();
  return {
    ...inner,
    take(charges, keep) {
      const taken = spoil(inner.take(charges, keep)) as Taken;
      return later ? Promise.resolve(taken) : taken;
    },
  };
}

const rows: readonly [what: string, spoil: (taken: Taken) => unknown][] = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["a string", () => "OK"],
  ["no time", ({ now, ...rest }) => rest],
  ["a time that is none", (taken) => ({ ...taken, now: Number.NaN })],
  ["an endless time", (taken) => ({ ...taken, now: Infinity })],
  ["a time as a string", (taken) => ({ ...taken, now: String(taken.now) })],
  ["a time before all", (taken) => ({ ...taken, now: -1 })],
  ["no fits", ({ fits, ...rest }) => rest],
  ["too few fits", (taken) => ({ ...taken, fits: [] })],
  ["fits as numbers", (taken) => ({ ...taken, fits: [1] })],
  ["no states", ({ states, ...rest }) => rest],
  ["too few states", (taken) => ({ ...taken, states: [] })],
  ["an empty state", (taken) => ({ ...taken, states: [[]] })],
  ["a short state", (taken) => ({ ...taken, states: [taken.states[0]!.slice(1)] })],
  ["a state of texts", (taken) => ({ ...taken, states: [taken.states[0]!.map(String)] })],
  ["a state of nothing", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => null)] })],
  ["a state of NaN", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => Number.NaN)] })],
  ["an endless state", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => Infinity)] })],
  ["a state of parts", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => 0.5)] })],
  ["a state of too much", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => 2 ** 60)] })],
  ["a time of parts", (taken) => ({ ...taken, now: taken.now + 0.5 })],
  ["a state below nothing", (taken) => ({ ...taken, states: [taken.states[0]!.map(() => -1)] })],
];

describe.each(names)("a store's answer to %s", (algorithm) => {
  it.each(rows)("fails where it is %s", async (_, spoil) => {
    for (const later of [false, true]) {
      const errors: unknown[] = [];
      const limiter = createLimiter({
        limit: 2,
        window: "1m",
        algorithm,
        store: spoilt(spoil, later),
        onStoreError: "closed",
        onError: (error) => errors.push(error),
      });
      const decision = await limiter.check("key");
      expect(decision).toMatchObject({ allowed: false, reason: "store-unavailable" });
      expect(errors).toEqual([expect.objectContaining({ code: "ERR_STORE_UNAVAILABLE" })]);
    }
  });

  it("says what is wrong with it", async () => {
    const errors: Error[] = [];
    const store = spoilt((taken) => ({ ...taken, states: [[-1]] }), true);
    const onError = (error: unknown) => errors.push(error as Error);
    await createLimiter({ limit: 2, window: "1m", algorithm, store, onError }).check("key");
    expect((errors[0]!.cause as Error).message).toMatch(
      /^states\[0\] of a store's answer: expected a list of \d+ whole numbers, 0 or more, received an array of 1$/,
    );
  });

  it("counts where it is one", async () => {
    for (const later of [false, true]) {
      const store = spoilt((taken) => taken, later);
      const limiter = createLimiter({ limit: 2, window: "1m", algorithm, store });
      expect((await limiter.check("key")).remaining).toBe(1);
    }
  });
});
