import {
  type AlgorithmName,
  algorithms,
  type Charge,
  createPolicy,
  memoryStore,
  type Policy,
  type PolicySettings,
  type Receipt,
  type Taken,
} from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: RedisServer;
let client: Redis;
let other: Redis;

beforeAll(async () => {
  server = await redisServer();
  client = new Redis(server.port);
  other = new Redis(server.port);
});

afterAll(async () => {
  client.disconnect();
  other.disconnect();
  await server.stop();
});

const settings = {
  timeZone: "UTC",
  segments: 1,
  align: "clock",
  delay: true,
  shadow: false,
  countRefused: false,
  onStoreError: "open",
} as const;

type Variant = Pick<PolicySettings, "limit" | "window"> & Partial<PolicySettings>;

/** Each list is one policy and what it changes to during its life. */
const lives: readonly (readonly [AlgorithmName, readonly Variant[]])[] = [
  [
    "fixed-window",
    [
      { limit: 5, window: 1000 },
      { limit: 3, window: 700 },
      { limit: 9, window: 2500 },
    ],
  ],
  [
    "fixed-window",
    (["first-request"] as const).flatMap((align) => [
      { limit: 4, window: 1000, align },
      { limit: 7, window: 400, align },
      { limit: 2, window: 3000, align, countRefused: true },
    ]),
  ],
  [
    "fixed-window",
    [
      { limit: 5, window: "day" },
      { limit: 9, window: "month", timeZone: "Europe/Berlin" },
    ],
  ],
  [
    "sliding-window",
    [
      { limit: 6, window: 1000 },
      { limit: 3, window: 1600 },
      { limit: 11, window: 300 },
      { limit: 2 ** 40, window: 300 },
    ],
  ],
  [
    "sliding-window",
    [
      { limit: 6, window: 1000, segments: 5 },
      { limit: 13, window: 500, segments: 5, countRefused: true },
    ],
  ],
  [
    "sliding-log",
    [
      { limit: 5, window: 1000 },
      { limit: 90, window: 800 },
      { limit: 2, window: 1700 },
    ],
  ],
  [
    "sliding-log",
    [
      { limit: 4, window: 900, countRefused: true },
      { limit: 6, window: 900, shadow: true },
    ],
  ],
  [
    "token-bucket",
    [
      { limit: 5, window: 1000 },
      { limit: 7, window: 1300, burst: 3 },
      { limit: 2, window: 77 },
      { limit: 100_000, window: 77_000 },
    ],
  ],
  [
    "leaky-bucket",
    [
      { limit: 6, window: 1000, burst: 9 },
      { limit: 3, window: 1000, countRefused: true },
    ],
  ],
  [
    "token-bucket",
    [
      { limit: 0, window: 1000 },
      { limit: 1, window: 10, shadow: true },
    ],
  ],
  ...bannedLives(),
];

/** Policies that ban, of every algorithm, and what their bans change to. */
function bannedLives(): (readonly [AlgorithmName, readonly Variant[]])[] {
  const bans = [
    { after: 2, within: 900, durations: [300, 600, 2000], extend: false },
    { after: 1, within: undefined, durations: [700], extend: true },
    { after: 3, within: 5000, durations: [50, 100, 200, 400], extend: true },
  ];
  const names = Object.keys(algorithms) as AlgorithmName[];
  return names.map((name, i) => [
    name,
    bans.map((ban, j) => ({
      limit: 3 + j,
      window: 1000,
      ban,
      countRefused: i === j,
      shadow: i === j + 1,
    })),
  ]);
}

const policies: readonly (readonly Policy[])[] = lives.map(([algorithm, variants], i) =>
  variants.map((variant) =>
    createPolicy({ ...settings, name: `p${i}`, space: `p${i}`, algorithm, ...variant }),
  ),
);

interface Ask {
  readonly policies: readonly number[];
  readonly key: string;
  readonly costs: readonly number[];
  readonly keep: boolean;
}

/** How far apart the clocks of the processes that share a store are, milliseconds. */
const clocks = [0, 400, -250];

type Step =
  | { readonly do: "ask"; readonly asks: readonly Ask[] }
  /** Each of these charges is sent alone, from one process or another. */
  | { readonly do: "alone"; readonly asks: readonly Ask[] }
  | { readonly do: "settle"; readonly pick: number; readonly units: number }
  | { readonly do: "clock"; readonly at: number }
  | { readonly do: "pass" | "back"; readonly ms: number }
  | { readonly do: "give" | "change" | "reset"; readonly pick: number };

const cost = fc.oneof(
  { arbitrary: fc.constant(1), weight: 6 },
  { arbitrary: fc.nat(4), weight: 6 },
  { arbitrary: fc.nat(12), weight: 6 },
  fc.constantFrom(300, 70_000),
);
const charged = {
  policies: fc.oneof(
    {
      arbitrary: fc.uniqueArray(fc.nat(lives.length - 1), { minLength: 1, maxLength: 3 }),
      weight: 3,
    },
    // Each of these charges sees those before it.
    fc
      .tuple(fc.nat(lives.length - 1), fc.nat(lives.length - 1))
      .map(([one, two]) => [one, two, one]),
  ),
  key: fc.constantFrom("a", "b"),
};
const ask = fc.record({
  ...charged,
  costs: fc.array(cost, { minLength: 3, maxLength: 3 }),
  keep: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, fc.constant(false)),
});
const ms = fc.oneof(
  fc.nat(40),
  fc.nat(1100),
  fc.nat(4000),
  fc.constantFrom(86_400_000, 3 * 10 ** 9),
);
/** Requests with the same charges. */
const alike = fc.record({
  policies: charged.policies,
  asks: fc.array(
    fc.record({
      key: charged.key,
      costs: fc.array(
        cost.map((units) => units || 1),
        { minLength: 3, maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: alike.map(({ policies, asks }) => ({
      do: "ask" as const,
      asks: asks.map((each) => ({ ...each, policies, keep: true })),
    })),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      asks: fc.array(ask, { minLength: 1, maxLength: 12 }),
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("alone" as const),
      asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      pick: fc.nat(1000),
      units: fc.nat(14),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant("clock" as const), at: fc.nat(clocks.length - 1) }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant("pass" as const), ms }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant("back" as const), ms }), weight: 1 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("give" as const, "change", "reset"),
      pick: fc.nat(1000),
    }),
    weight: 3,
  },
);

/** What both stores must report alike; one of them may have forgotten a state that is as good as new. */
function told(charges: readonly Charge[], { now, fits, states, degraded }: Taken): unknown {
  const views = charges.map(({ policy, cost }, i) => {
    const view = policy.algorithm.view(states[i]!, now, cost, policy.params(now));
    return { ...view, state: view.resetAfter > 0 ? known(policy, states[i]!, now) : "new" };
  });
  return { now, fits, views, degraded };
}

/** What is known of a key: the ban and the rest may each be as good as new, and forgotten separately. */
function known(policy: Policy, state: readonly number[], now: number): unknown {
  if (!policy.algorithm.name.endsWith("+ban")) return state;
  const { view } = algorithms[policy.algorithm.name.slice(0, -4) as AlgorithmName];
  const { resetAfter } = view(state, now, 1, policy.params(now));
  const ban = state.slice(-5);
  return [resetAfter > 0 ? state.slice(0, -5) : "new", remembered(ban) > now ? ban : "none"];
}

/** Returns until when refusals and the latest ban are remembered. */
function remembered(ban: readonly number[]): number {
  const [start, within, refusals, began, length] = ban as [number, number, number, number, number];
  return Math.max(
    refusals > 0 ? start + within : 0,
    length > 0 ? began + length + Math.max(length, within) : 0,
  );
}

test("Redis and memory answer alike, field by field", async () => {
  let trial = 0;
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const clock = manualClock();
      const memory = memoryStore({ clock });
      const options = { clock, deadline: 60_000, prefix: `t${trial++}:` };
      const redis = redisStore(client, options);
      const stores = [redis, redisStore(other, options)];
      let at = 0;
      const life = lives.map(() => 0);
      const receipts: [Receipt, Receipt][] = [];
      const policyOf = (i: number): Policy => policies[i]![life[i]!]!;

      async function alone(charges: readonly Charge[], keep: boolean, i: number): Promise<void> {
        const here = memory.take(charges, keep);
        const there = await stores[i % 2]!.take(charges, keep);
        expect(told(charges, there)).toEqual(told(charges, here));
        compared++;
        if (!keep || !here.fits[0]) return;
        receipts.push([
          { charges, ...here },
          { charges, ...there },
        ]);
      }

      for (const step of steps) {
        if (step.do === "alone") {
          for (const [i, { policies, key, costs, keep }] of step.asks.entries()) {
            const charge = { policy: policyOf(policies[0]!), key, cost: costs[0]! };
            await alone([charge], keep, i);
          }
        } else if (step.do === "clock") {
          const ahead = clocks[step.at]! - clocks[at]!;
          if (ahead < 0) await forgetWhatIsNew();
          clock.advance(ahead);
          at = step.at;
        } else if (step.do === "settle") {
          const [settled] = receipts.splice(step.pick % (receipts.length + 1), 1);
          if (!settled) continue;
          for (const [i, { policy, key, cost }] of settled[0].charges.entries()) {
            const missing = Math.min(step.units - cost, policy.maxCost);
            if (missing > 0)
              await alone([{ policy: policy.settling(), key, cost: missing }], true, i);
            if (step.units >= cost) continue;
            const [spent, theirs] = settled.map(({ charges, now, fits, states }) => ({
              charges: [{ ...charges[i]!, cost: cost - step.units }],
              now,
              fits: [fits[i]!],
              states: [states[i]!],
            }));
            await memory.give(spent!);
            await redis.give(theirs!);
          }
        } else if (step.do === "ask") {
          const requests = step.asks.map(({ policies, key, costs, keep }) => ({
            charges: policies.map((i, j) => ({ policy: policyOf(i), key, cost: costs[j]! })),
            keep,
          }));
          const here = requests.map(({ charges, keep }) => memory.take(charges, keep));
          const there = await Promise.all(
            requests.map(({ charges, keep }) => redis.take(charges, keep)),
          );
          requests.forEach(({ charges, keep }, i) => {
            expect(told(charges, there[i]!)).toEqual(told(charges, here[i]!));
            compared++;
            if (keep && here[i]!.fits.every(Boolean)) {
              receipts.push([
                { charges, ...here[i]! },
                { charges, ...there[i]! },
              ]);
            }
          });
        } else if (step.do === "pass") clock.advance(step.ms);
        else if (step.do === "back") {
          await forgetWhatIsNew();
          clock.advance(-step.ms);
        } else if (step.do === "change") {
          const i = step.pick % lives.length;
          life[i] = (life[i]! + 1) % policies[i]!.length;
        } else if (step.do === "reset") {
          const policy = policyOf(step.pick % lives.length);
          await memory.reset(policy, step.pick % 2 ? "a" : "b");
          await redis.reset(policy, step.pick % 2 ? "a" : "b");
        } else if (step.do === "give") {
          const [given] = receipts.splice(step.pick % (receipts.length + 1), 1);
          if (!given) continue;
          await memory.give(given[0]);
          await redis.give(given[1]);
        }
      }

      /** A clock that steps back finds in one store what the other has forgotten, unless both forget it now. */
      async function forgetWhatIsNew(): Promise<void> {
        const resets: Promise<void>[] = [];
        for (const key of ["a", "b"]) {
          for (const [i] of lives.entries()) {
            const charge = { policy: policyOf(i), key, cost: 0 };
            const { policy } = charge;
            const { now, states } = memory.take([charge], false);
            const { resetAfter } = policy.algorithm.view(states[0]!, now, 0, policy.params(now));
            if (resetAfter > 0) continue;
            await memory.reset(policy, key);
            resets.push(redis.reset(policy, key));
          }
        }
        await Promise.all(resets);
      }
    }),
    { seed: 20231115, numRuns: 30, endOnFailure: false },
  );
  expect(compared).toBeGreaterThan(2000);
  for (const key of await client.keys("*")) expect(await client.pttl(key)).toBeGreaterThan(0);
}, 60_000);
