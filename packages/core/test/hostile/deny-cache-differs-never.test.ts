import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AlgorithmName,
  algorithms,
  type Charge,
  createPolicy,
  denyCache,
  memoryStore,
  type PolicySettings,
  passes,
  type Receipt,
  type Taken,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

const settings = {
  timeZone: "UTC",
  segments: 1,
  align: "clock",
  delay: true,
  shadow: false,
  countRefused: false,
  onStoreError: "open",
} as const;

const told = { status: undefined, body: undefined } as const;
const bans = [
  undefined,
  { after: 2, within: 3000, durations: [500, 1500, 4000], extend: false, ...told },
  { after: 1, within: undefined, durations: [700, 900], extend: true, ...told },
];

/** Each entry lists the policies of one key: tiers, and versions before a change. */
const tiers = (Object.keys(algorithms) as AlgorithmName[]).flatMap((algorithm) =>
  bans.map((ban, i) => {
    const name = `${algorithm}-${i}`;
    const made: PolicySettings = {
      ...settings,
      name,
      space: name,
      algorithm,
      ban,
      limit: 2,
      window: 1000,
    };
    return [
      createPolicy(made),
      createPolicy({ ...made, limit: 5 }),
      createPolicy({ ...made, window: 300 }),
      createPolicy({ ...made, limit: 3, shadow: i === 1, countRefused: i === 2 }),
    ];
  }),
);

const charge = fc.record({ of: fc.nat(tiers.length - 1), cost: fc.nat(4), tier: fc.nat(3) });
const step = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      charges: fc.uniqueArray(charge, { selector: ({ of }) => of, minLength: 1, maxLength: 3 }),
      key: fc.constantFrom("a", "b"),
      times: fc.integer({ min: 1, max: 6 }),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(400) }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("give" as const, "settle" as const, "reset" as const),
      pick: fc.nat(999),
    }),
    weight: 1,
  },
);

/** Few policies at a time, so that they interact. */
const story = fc.tuple(
  fc.uniqueArray(fc.nat(tiers.length - 1), { minLength: 3, maxLength: 3 }),
  fc.array(step, { minLength: 30, maxLength: 120 }),
);

test("refuses what the store refuses, and nothing else, with bans, tiers, settlements and refunds", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(story, fc.constantFrom(50, 1000, 60_000), async ([few, steps], maxAge) => {
      const clock = manualClock();
      const bare = memoryStore({ clock });
      const inner = memoryStore({ clock });
      let asked = 0;
      const counted = {
        ...inner,
        take(charges: readonly Charge[], keep: boolean) {
          asked++;
          return inner.take(charges, keep);
        },
      };
      const cached = denyCache(counted, { clock, maxAge });
      const receipts: [Receipt, Receipt][] = [];
      const take = (charges: readonly Charge[]): void => {
        const here = cached.take(charges, true) as Taken;
        const there = bare.take(charges, true);
        answered++;
        const passed = passes(charges, there.fits);
        expect(passes(charges, here.fits), JSON.stringify(charges)).toBe(passed);
        if (!passed) return;
        expect(here.states).toEqual(there.states);
        receipts.push([
          { charges, ...here },
          { charges, ...there },
        ]);
      };
      for (const step of steps) {
        if (step.do === "pass") clock.advance(step.ms);
        else if (step.do === "ask") {
          const charges = new Map(
            step.charges.map(({ of, cost, tier }) => {
              const list = tiers[few[of % few.length]!]!;
              return [list, { policy: list[tier]!, key: step.key, cost }];
            }),
          );
          for (let i = 0; i < step.times; i++) take([...charges.values()]);
        } else if (step.do === "reset") {
          const policy = tiers[few[step.pick % few.length]!]![0]!;
          await cached.reset(policy, "a");
          await bare.reset(policy, "a");
        } else {
          const [both] = receipts.splice(step.pick % (receipts.length + 1), 1);
          if (!both) continue;
          if (step.do === "give") {
            await cached.give(both[0]);
            await bare.give(both[1]);
          } else {
            for (const { policy, key } of both[0].charges) {
              take([{ policy: policy.settling(), key, cost: 2 }]);
            }
          }
        }
      }
      answered -= asked;
    }),
    { seed: 12, numRuns: 150 },
  );
  expect(answered).toBeGreaterThan(1000);
});
