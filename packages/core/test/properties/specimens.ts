import fc, { type Arbitrary } from "fast-check";
import type { Settings } from "../../src/algorithm.ts";
import type { Ban } from "../../src/policies/ban.ts";
import { createPolicy, type Policy, type PolicySettings } from "../../src/policy.ts";

/** One way to limit, and what to expect of it. */
export interface Specimen {
  readonly name: string;
  /** Policies whose numbers are small enough to check every millisecond. */
  readonly policy: Arbitrary<Policy>;
  /** Policies that can read a given policy's state. */
  readonly successor: (policy: Policy) => Arbitrary<Policy>;
  /** The most that can ever fit at once. */
  readonly most: (policy: Policy) => number;
  /** The longest possible wait, in milliseconds. */
  readonly longestWait: (policy: Policy) => number;
  /** The most that may pass in the window, open at its start, that ends with a charge at `last`. */
  readonly bound: (policy: Policy, passed: readonly Passed[], last: number) => number;
}

/** An admitted charge. */
export interface Passed {
  readonly at: number;
  readonly cost: number;
}

type Shape = Partial<PolicySettings> & Pick<PolicySettings, "algorithm">;

const limit = fc.integer({ min: 0, max: 7 });
const window = fc.integer({ min: 1, max: 50 });
const limitOf = ({ limit }: Policy): number => limit;
const windowOf = ({ window }: Policy): number => window;

function fixed(align: Settings["align"]): Specimen {
  const policy = policies({ algorithm: "fixed-window", align }, { limit, window });
  return {
    name: `fixed-window by ${align}`,
    policy,
    successor: () => policy,
    most: limitOf,
    longestWait: windowOf,
    bound: (p) => 2 * p.limit,
  };
}

function sliding(segments: number): Specimen {
  const policy = policies(
    { algorithm: "sliding-window", segments },
    { limit, window: fc.integer({ min: 1, max: 40 }).map((width) => width * segments) },
  );
  return {
    name: `sliding-window of ${segments}`,
    policy,
    successor: () => policy,
    most: limitOf,
    longestWait: (p) => p.window + p.window / segments,
    bound(p, passed, last) {
      const width = p.window / segments;
      const counts = new Map<number, number>();
      for (const { at, cost } of passed) {
        const index = Math.floor(at / width);
        counts.set(index, (counts.get(index) ?? 0) + cost);
      }
      return p.limit + (Math.max(0, ...counts.values()) * (last % width)) / width;
    },
  };
}

function bucket(algorithm: "token-bucket" | "leaky-bucket"): Specimen {
  const policy = policies({ algorithm }, { limit, window, burst: fc.integer({ min: 1, max: 9 }) });
  const most = (p: Policy): number => p.params(0)[1]!;
  return {
    name: algorithm,
    policy,
    successor: () => policy,
    most,
    longestWait: (p) => p.params(0)[5]!,
    bound: (p) => (p.limit === 0 ? 0 : most(p) + p.limit),
  };
}

const logs = policies({ algorithm: "sliding-log" }, { limit, window });

/** Every way to limit by a fixed length of time. */
export const specimens: readonly Specimen[] = [
  fixed("clock"),
  fixed("first-request"),
  sliding(1),
  sliding(2),
  sliding(5),
  {
    name: "sliding-log",
    policy: logs,
    successor: () => logs,
    most: limitOf,
    longestWait: windowOf,
    bound: limitOf,
  },
  bucket("token-bucket"),
  bucket("leaky-bucket"),
];

function policies(
  shape: Shape,
  ranges: { limit: Arbitrary<number>; window: Arbitrary<number>; burst?: Arbitrary<number> },
): Arbitrary<Policy> {
  return fc
    .record({ ...ranges, countRefused: fc.boolean() })
    .map((numbers) => policyOf({ ...shape, ...numbers }));
}

/** Creates a policy from the settings that matter to an algorithm. */
export function policyOf(settings: Shape & Pick<PolicySettings, "limit" | "window">): Policy {
  const policy = createPolicy({
    name: "p",
    space: "p",
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
    ...settings,
  });
  return { ...policy, [fc.toStringMethod]: () => JSON.stringify(settings) } as Policy;
}

/** Returns the policy with another limit, burst and ban. */
export function resized(
  policy: Policy,
  limit: number,
  burst: number = limit,
  ban?: Ban | undefined,
): Policy {
  const algorithm = policy.algorithm.name as Parameters<typeof policyOf>[0]["algorithm"];
  return policyOf({
    algorithm,
    limit,
    burst: algorithm.endsWith("bucket") ? burst : undefined,
    window: policy.window,
    countRefused: policy.countRefused,
    segments: algorithm === "sliding-window" ? policy.params(0)[2]! : 1,
    align: algorithm === "fixed-window" && policy.params(0)[2] === 1 ? "first-request" : "clock",
    ban,
  });
}
