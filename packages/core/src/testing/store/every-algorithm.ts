import type { PolicySettings } from "../../policy.ts";
import { assert } from "../assert.ts";
import {
  charge,
  everyAlgorithm,
  limiterOn,
  policy,
  remainingOf,
  type StoreTest,
  viewOf,
  window,
} from "./fixtures.ts";

/** Tests of the state of every algorithm. */
export const everyAlgorithmTests: readonly StoreTest[] = everyAlgorithm.flatMap(
  ([name, options]): StoreTest[] => [
    [
      `admits exactly the limit of ${name} out of a thousand requests at once`,
      async (store) => {
        const limiter = limiterOn(store, options);
        const asked = Array.from({ length: 1000 }, () => limiter.check("key"));
        const decisions = await Promise.all(asked);
        const left = decisions.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
        assert.deepEqual(left.sort(), [0, 1, 2, 3, 4]);
      },
    ],
    [
      `keeps the promises of ${name} to the millisecond`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        await limiter.check("key", { cost: 4 });
        clock.advance(window / 8);
        await limiter.check("key");
        for (let i = 0; i < 12; i++) {
          const refused = await limiter.check("key", { cost: 2 });
          assert.equal(refused.allowed, false);
          clock.advance(refused.retryAfter - 1);
          assert.equal((await limiter.peek("key", { cost: 2 })).allowed, false);
          clock.advance(1);
          assert.equal((await limiter.check("key", { cost: 2 })).allowed, true);
          const { remaining } = await limiter.peek("key");
          await limiter.check("key", { cost: remaining });
        }
        const { resetAfter } = await limiter.peek("key");
        clock.advance(resetAfter);
        assert.equal((await limiter.peek("key")).resetAfter, 0);
        assert.equal((await limiter.check("key", { cost: 5 })).allowed, true);
      },
    ],
    [
      `gives back what was taken of ${name}`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        const first = await limiter.check("key", { cost: 3 });
        clock.advance(1);
        const second = await limiter.check("key", { cost: 2 });
        await limiter.give(first);
        await limiter.give(first);
        assert.equal((await limiter.peek("key")).remaining, 3);
        await limiter.give(second);
        assert.equal((await limiter.peek("key")).remaining, 5);
        assert.equal((await limiter.peek("key")).resetAfter, 0);
      },
    ],
    [
      `takes charges of one key of ${name} in turn, all or none, and gives them back`,
      async (store) => {
        const own = policy(options as Partial<PolicySettings>);
        const other = charge(policy({ name: "other" }));
        const of = (...costs: number[]) => costs.map((cost) => charge(own, "key", cost));
        const left = () => remainingOf(store, own);
        for (const keep of [false, true]) {
          for (const [costs, fits] of [
            [
              [3, 3],
              [true, false],
            ],
            [
              [2, 2, 2],
              [true, true, false],
            ],
            [
              [6, 1],
              [false, true],
            ],
          ] as const) {
            const refused = await store.take([...of(...costs), other], keep);
            assert.deepEqual(refused.fits, [...fits, true], `${costs}`);
            const at = fits.indexOf(false);
            const { now, states } = refused;
            const view = own.algorithm.view(states[at]!, now, costs[at]!, own.params(now));
            assert.ok(view.retryAfter > 0);
            assert.deepEqual([await left(), await remainingOf(store, other.policy)], [5, 5]);
          }
        }
        assert.deepEqual((await store.take(of(2, 3), false)).fits, [true, true]);
        assert.equal(await left(), 5);
        const charges = of(2, 0, 1, 2);
        const taken = await store.take(charges, true);
        assert.deepEqual(taken.fits, [true, true, true, true]);
        const told = taken.states.map((state) => viewOf({ ...taken, states: [state] }, own));
        assert.deepEqual(
          told.map(({ remaining }) => remaining),
          [3, 3, 2, 0],
        );
        assert.equal(await left(), 0);
        const { now, fits, states } = taken;
        const part = { now, charges: of(1), fits: fits.slice(2, 3), states: states.slice(2, 3) };
        await store.give(part);
        assert.equal(await left(), 1);
        await store.take(of(1), true);
        await store.give({ charges, ...taken });
        assert.equal(await left(), 5);
        const apart = [charge(own, "a", 5), charge(own, "b", 5)];
        assert.deepEqual((await store.take(apart, true)).fits, [true, true]);
      },
    ],
    [
      `gives nothing of ${name} back when its time is over, nor to a key that was forgotten`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        const late = await limiter.check("key", { cost: 3 });
        clock.advance(4 * window * 6);
        await limiter.check("key", { cost: 2 });
        await limiter.give(late);
        assert.equal((await limiter.peek("key")).remaining, 3);
        const gone = await limiter.check("gone");
        await limiter.reset("gone");
        await limiter.give(gone);
        const { remaining, resetAfter } = await limiter.peek("gone");
        assert.deepEqual([remaining, resetAfter], [5, 0]);
      },
    ],
  ],
);
