import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AlgorithmName } from "../algorithms/index.ts";
import { createPolicy, type Policy } from "../policy.ts";
import { createRegister, drop, find, forget, type Register, save, step } from "./register.ts";

const start = 1_700_006_400_000;

/** Policies that share keys: with another limit, another window, and numbers past 32 bits. */
const policies: Readonly<Record<AlgorithmName, readonly Policy[]>> = {
  "sliding-window": [
    policyOf("sliding-window", 3, 1000),
    policyOf("sliding-window", 5, 1000),
    policyOf("sliding-window", 2 ** 50, 2),
    policyOf("sliding-window", 10_000, 90 * 86_400_000),
  ],
  "fixed-window": [
    policyOf("fixed-window", 3, 1000),
    policyOf("fixed-window", 2 ** 52, 365 * 86_400_000),
    policyOf("fixed-window", 4, 700),
  ],
  "token-bucket": [
    policyOf("token-bucket", 3, 1000),
    policyOf("token-bucket", 1_000_003, 86_400_000),
    policyOf("token-bucket", 7, 365 * 86_400_000),
  ],
  "leaky-bucket": [policyOf("leaky-bucket", 3, 1000), policyOf("leaky-bucket", 10, 977)],
  "sliding-log": [
    policyOf("sliding-log", 3, 1000),
    policyOf("sliding-log", 40, 5000),
    policyOf("sliding-log", 2, 50),
  ],
};

const act = fc.record({
  key: fc.integer({ min: 0, max: 12 }).map((n) => `user:${n}`),
  what: fc.constantFrom("take", "take", "take", "take", "forget", "lap", "drop"),
  which: fc.nat({ max: 3 }),
  cost: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(30, 2 ** 33, 2 ** 49)),
  wait: fc.oneof(
    fc.constantFrom(0, 1, 999, 1000, -1500, 2 ** 31, 2 ** 32, 2 ** 34),
    fc.nat({ max: 3000 }),
  ),
});

describe.each(Object.keys(policies) as AlgorithmName[])("createRegister, %s", (name) => {
  it("keeps for every key the slots that an array keeps", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 150 }), (acts) => {
        const model = new Map<string, number[]>();
        const register = createRegister(policies[name][0]!, start);
        let now = start;
        for (const { key, what, which, cost, wait } of acts) {
          now += wait;
          const policy = policies[name][which % policies[name].length]!;
          if (what === "take") take(register, model, key, policy, now, cost);
          else if (what === "forget") {
            forget(register, key);
            model.delete(key);
          } else if (what === "lap") {
            expect(lap(register)).toEqual([...model.values()].sort(byText));
          } else if (model.size > 0) {
            dropUnderHand(register, model);
          }
          expect(register.table.size).toBe(model.size);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("createRegister", () => {
  it("keeps keys of more policies than it has frames", () => {
    const register = createRegister(policyOf("fixed-window", 1, 1000), start);
    for (let i = 1; i <= 600; i++) {
      const policy = policyOf("fixed-window", i, 1000);
      find(register, `user:${i}`);
      policy.algorithm.take(register.slots, start, 1, policy.params(start));
      save(register, policy);
    }
    const limits = new Set<number>();
    for (
      let met = step(register, register.table.sweeping);
      met !== "end";
      met = step(register, register.table.sweeping)
    ) {
      if (met !== "row") continue;
      limits.add(register.seen.policy.limit);
      expect([...register.seen.slots]).toEqual([start, 1000, 1, 0]);
    }
    expect(limits.size).toBe(600);
    expect(register.table.size).toBe(600);
  });

  it("uses the frames of what was forgotten again", () => {
    const register = createRegister(policyOf("fixed-window", 1, 1000), start);
    const arrays = new Set<boolean>();
    for (let i = 1; i <= 600; i++) {
      const policy = policyOf("fixed-window", i, 1000);
      find(register, "user:1");
      policy.algorithm.take(register.slots, start + 1000 * i, 1, policy.params(start));
      save(register, policy);
      find(register, "user:1");
      // Slots from a row are copied into the register's own array; those from the overflow are separate arrays.
      arrays.add(register.slots !== register.scratch);
    }
    expect([...arrays]).toEqual([false]);
  });

  it("begins a log short, whatever its limit", () => {
    const policy = policyOf("sliding-log", 100_000, 1000);
    const register = createRegister(policy, start);
    find(register, "user:1");
    policy.algorithm.take(register.slots, start, 1, policy.params(start));
    save(register, policy);
    find(register, "user:1");
    expect(register.slots).toHaveLength(5);
  });
});

function policyOf(algorithm: AlgorithmName, limit: number, window: number): Policy {
  return createPolicy({
    name: "default",
    space: "default",
    algorithm,
    limit,
    window,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
  });
}

function take(
  register: Register,
  model: Map<string, number[]>,
  key: string,
  policy: Policy,
  now: number,
  cost: number,
): void {
  const known = find(register, key);
  const expected = model.get(key) ?? new Array<number>(register.slots.length).fill(0);
  expect(known).toBe(model.has(key));
  const { slots } = register;
  expect(trimmed(slots)).toEqual(trimmed(expected));
  const fits = policy.algorithm.take(slots, now, cost, policy.params(now));
  expect(policy.algorithm.take(expected, now, cost, policy.params(now))).toBe(fits);
  if (!known && !fits) return;
  save(register, policy);
  model.set(key, expected);
}

/** Returns the slots that the hand meets in one lap. */
function lap(register: Register): number[][] {
  const seen: number[][] = [];
  while (step(register, register.table.sweeping) !== "end");
  for (
    let met = step(register, register.table.sweeping);
    met !== "end";
    met = step(register, register.table.sweeping)
  ) {
    if (met === "row") seen.push(trimmed(register.seen.slots));
  }
  return seen.sort(byText);
}

/** Drops the row that the hand meets next. */
function dropUnderHand(register: Register, model: Map<string, number[]>): void {
  while (step(register, register.table.sweeping) !== "row");
  const slots = trimmed(register.seen.slots);
  drop(register, register.seen);
  const gone = [...model.keys()].filter((key) => !find(register, key));
  expect(gone).toHaveLength(1);
  expect(model.get(gone[0]!)).toEqual(slots);
  model.delete(gone[0]!);
}

function trimmed(slots: ArrayLike<number>): number[] {
  return Array.from(slots);
}

function byText(a: number[], b: number[]): number {
  return String(a) < String(b) ? -1 : 1;
}
