import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createLimiter,
  type Decision,
  type Limiter,
  leasedStore,
  memoryStore,
  type Store,
  StoreError,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { settledSoon } from "../manual-after.ts";
import { noUnhandledRejections } from "./unhandled-rejections.ts";

type Answer = <T extends object>(decide: () => T | Promise<T>) => T | Promise<T>;

/** How a store may answer. */
const answers: Readonly<Record<string, Answer>> = {
  "at once": (decide) => decide(),
  "by promise": async (decide) => await decide(),
  never: () => new Promise(() => {}),
  throws() {
    throw new Error("thrown");
  },
  rejects: () => Promise.reject(new Error("rejected")),
  "by a thenable whose then returns nothing": <T>(decide: () => T | Promise<T>) => {
    const then = (resolve: (value: T | Promise<T>) => void): void => resolve(decide());
    return { then } as unknown as Promise<T>;
  },
  nothing: <T>() => null as T,
  "no time": async (decide) => ({ ...(await decide()), now: Number.NaN }),
  "no numbers": async (decide) => ({ ...(await decide()), states: [[-1]] }),
  "no decisions": async (decide) => ({ ...(await decide()), fits: [] }),
};

const step = fc.record({
  answer: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("at once", "by promise") },
    fc.constantFrom(...Object.keys(answers)),
  ),
  do: fc.oneof(
    { weight: 3, arbitrary: fc.constant("check" as const) },
    fc.constantFrom("give", "reset", "close", "peek", "settle", "pass" as const),
  ),
  cost: fc.nat(6),
  times: fc.constantFrom(1, 12),
  waits: fc.boolean(),
  limiter: fc.nat(2),
});

const policies = [
  { name: "a", limit: 60, window: "1m" },
  { name: "b", limit: 200, window: "1m", algorithm: "token-bucket" },
  { name: "c", limit: 100, window: "1s", algorithm: "fixed-window" },
] as const;

describe("a store that fails, hangs or answers nonsense", () => {
  noUnhandledRejections();

  test("costs decisions while it does, and nothing afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 80 }),
        fc.constantFrom(1, 2, 100),
        async (steps, maxKeys) => {
          const clock = manualClock();
          const inner = memoryStore({ clock });
          let answer = answers["at once"]!;
          const empty = (done: unknown): object => ({ done });
          const store: Store = {
            take: (charges, keep) => answer(() => inner.take(charges, keep)),
            give: (receipt) => answer(() => empty(inner.give(receipt))) as Promise<void>,
            reset: (policy, key) => answer(() => empty(inner.reset(policy, key))) as Promise<void>,
          };
          const leased = leasedStore(store, { clock, share: 0.5, maxKeys, maxAge: 500 });
          const create = (more: object): Limiter =>
            createLimiter({ policies, store: leased, onError: () => {}, ...more });
          const limiters = [
            create({}),
            create({ policies: [policies[0]] }),
            create({ policies: [policies[2]] }),
          ];
          const decisions: { limiter: Limiter; decision: Decision }[] = [];
          const act = async ({ do: what, cost, times, limiter: i }: Step): Promise<void> => {
            const limiter = limiters[i]!;
            const earlier = decisions[cost % Math.max(1, decisions.length)];
            if (what === "pass") clock.advance(cost * 100);
            else if (what === "close") await leased.close!();
            else if (what === "reset") await limiter.reset("k1").catch(isStoreError);
            else if (what === "peek") await limiter.peek("k1");
            else if (what === "check") {
              const decision = await limiter.check(`k${cost % 3}`, { cost });
              decisions.push({ limiter, decision });
              expect(["ok", "limited", "store-unavailable"]).toContain(decision.reason);
            } else if (what === "settle") await earlier?.decision.settle(times);
            else await earlier?.limiter.give(earlier.decision).catch(isStoreError);
          };
          const acts: Promise<void>[] = [];
          for (const step of steps) {
            answer = answers[step.answer]!;
            for (let i = 0; i < step.times; i++) {
              const done = act(step);
              acts.push(done);
              if (step.waits) await Promise.race([done, settledSoon()]);
            }
          }
          await Promise.race([Promise.all(acts), settledSoon()]);
          clock.advance(100_000);
          answer = answers["by promise"]!;
          expect(await create({}).check("k1")).toMatchObject({ allowed: true, reason: "ok" });
          await leased.close!();
        },
      ),
      { numRuns: 60 },
    );
  });
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function isStoreError(error: unknown): void {
  expect(error).toBeInstanceOf(StoreError);
}
