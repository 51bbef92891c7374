import { performance } from "node:perf_hooks";
import { createPolicy, memoryStore, type Policy, type Store, type Taken } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { policyOf } from "./support/policy.ts";
import { client, server } from "./support/redis.ts";

const deadline = 10_000;
const day = 86_400_000;
const terms = { after: 9, within: undefined, durations: [10_000_000], extend: false };
const ban = { ...terms, status: undefined, body: undefined };

const machine = performance.now.bind(performance);

let redis: Redis;
let calls: string[];

beforeEach(async () => {
  redis = client((await server()).port);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Policies that follow the calendar, as each process creates them for itself. */
function calendars(): Policy[] {
  const zones = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"];
  return zones.flatMap((timeZone) =>
    (["day", "month"] as const).flatMap((window) =>
      [undefined, ban].map((ban) => {
        const name = `${window}:${timeZone}${ban ? ":ban" : ""}`;
        return createPolicy({ ...settings, name, space: name, window, timeZone, ban });
      }),
    ),
  );
}

const settings = {
  algorithm: "fixed-window",
  limit: 3,
  segments: 1,
  align: "clock",
  delay: true,
  shadow: false,
  countRefused: false,
  onStoreError: "open",
} as const;

function setMachine(skew: number): void {
  vi.restoreAllMocks();
  vi.spyOn(performance, "now").mockImplementation(() => machine() + skew);
}

/** Creates the store of a process whose clock is off by that much, before any answer. */
function storeOf(skew: number) {
  setMachine(skew);
  calls = [];
  return redisStore(
    Object.assign(Object.create(redis) as Redis, {
      evalsha(...args: [string, number, ...string[]]) {
        calls.push(args[2 + args[1]] as string);
        return redis.evalsha(...args);
      },
    }),
    { deadline },
  );
}

describe.each([-20_000, -400, -3, -1.2, 1.2, 3, 40, 4000])(
  "by a machine that is %s days ahead",
  (days) => {
    test.each(calendars().map((policy, i) => [policy.name, i] as const))(
      "the first calls of %s decide as the memory store does, in the server's windows",
      async (_, i) => {
        const memory = memoryStore({ clock: () => Date.now() });
        const [policy, other] = [calendars()[i]!, calendars()[(i + 2) % calendars().length]!];
        const charges = [{ policy, key: "k", cost: 1 }];
        const twice = [...charges, { policy: other, key: "other", cost: 1 }];
        // Another process, which knows the time, has charged before.
        for (const store of [memory, redisStore(redis, { deadline })]) {
          await store.take([{ ...charges[0]!, policy: calendars()[i]! }], true);
        }
        const by = async (store: Store) => {
          const taken: Taken[] = [];
          for (const each of [charges, twice, charges]) taken.push(await store.take(each, true));
          taken.push(await store.take(twice, false));
          await store.give({ charges, ...taken[0]! });
          taken.push(await store.take(charges, true));
          // The windows, and what is used of them.
          return taken.map(({ fits, states }) => [fits, states.map((state) => state.slice(0, 3))]);
        };
        expect(await by(storeOf(days * day))).toEqual(await by(memory));
        // Once more, and only the first one.
        expect(calls.length).toBeLessThanOrEqual(7);
      },
    );

    test("the first calls of one turn are each made once more, and no later one", async () => {
      const store = storeOf(days * day);
      const [policy] = calendars();
      const keys = Array.from({ length: 40 }, (_, i) => `k${i % 20}`);
      const all = () =>
        Promise.all(keys.map((key) => store.take([{ policy: policy!, key, cost: 1 }], true)));
      const used = (await all()).map(({ states }) => states[0]![2]);
      expect(used).toEqual(keys.map((_, i) => (i < 20 ? 1 : 2)));
      const first = calls.length;
      await all();
      expect(calls.length - first).toBe(2);
      expect(first).toBeLessThanOrEqual(4);
    });
  },
);

test("a server's clock that is set by days is followed, and no window is taken for another", async () => {
  const store = storeOf(0);
  const [policy] = calendars();
  const charges = [{ policy: policy!, key: "k", cost: 1 }];
  const first = await store.take(charges, true);
  // As if the process knew another time from an answer.
  setMachine(5 * day);
  const second = await store.take(charges, true);
  expect(second.states[0]!.slice(0, 3)).toEqual([...first.states[0]!.slice(0, 2), 2]);
  expect(calls.length).toBe(3);
});

test("the first call too is of no use later than its time, by this machine's clock", async () => {
  const store = storeOf(0);
  await store.take([{ policy: policyOf(), key: "k", cost: 1 }], true);
  const [until] = JSON.parse(calls[0]!) as [number];
  expect(until).toBeGreaterThanOrEqual((Date.now() + deadline) / 1000);
  expect(until).toBeLessThanOrEqual((Date.now() + 2 * deadline) / 1000 + 1);
});

test("the first call of a machine that is behind is made once more", async () => {
  const store = storeOf(-day);
  const charges = [{ policy: policyOf(), key: "k", cost: 1 }];
  for (const used of [1, 2]) expect((await store.take(charges, true)).states[0]![2]).toBe(used);
  expect(calls.length).toBe(3);
});
