import fc, { type Arbitrary } from "fast-check";
import type { Policy } from "../../src/policy.ts";
import { type BareKey, bareKey } from "./bare-key.ts";
import type { Specimen } from "./specimens.ts";

/** An event of a key: the clock moves, then a charge is made. */
export interface Step {
  /** Milliseconds; below 0 the clock steps back. */
  readonly moved: number;
  readonly cost: number;
  /** The policy from here on, if it changes. */
  readonly policy?: Policy | undefined;
}

export interface History {
  readonly policy: Policy;
  readonly start: number;
  readonly steps: readonly Step[];
}

export interface Options {
  /** Whether the clock may step back. */
  readonly back?: boolean;
  /** Whether limit, burst and window may change. */
  readonly changes?: boolean;
}

/** Generates histories: mostly busy, with pauses, so that keys are often near their limit. */
export function histories(specimen: Specimen, { back, changes }: Options = {}): Arbitrary<History> {
  const forward = [
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
    { weight: 2, arbitrary: fc.integer({ min: 10, max: 130 }) },
  ];
  const moved = back
    ? fc.oneof(...forward, { weight: 2, arbitrary: fc.integer({ min: -120, max: -1 }) })
    : fc.oneof(...forward);
  const cost = fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 9 }) },
  );
  return specimen.policy.chain((policy) =>
    fc.record({
      policy: fc.constant(policy),
      start: fc.integer({ min: 1_000_000, max: 1_000_200 }),
      steps: fc.array(
        fc.record({
          moved,
          cost,
          policy: changes
            ? fc.option(specimen.successor(policy), { nil: undefined, freq: 4 })
            : fc.constant(undefined),
        }),
        { maxLength: 24 },
      ),
    }),
  );
}

/** The result of a step. */
export interface Moment {
  readonly key: BareKey;
  readonly now: number;
  readonly cost: number;
  readonly before: BareKey;
  readonly fits: boolean;
  /** Whether the clock has been later before. */
  readonly behind: boolean;
  /** Whether the key was really charged: not a look, nor a cost that can never fit. */
  readonly asked: boolean;
}

/** Plays a history and checks the key after every step. Returns the key and the final time. */
export function live(
  specimen: Specimen,
  history: History,
  look?: (moment: Moment) => void,
): [BareKey, number] {
  const key = bareKey(history.policy);
  let now = history.start;
  let latest = now;
  for (const { moved, cost, policy } of history.steps) {
    now += moved;
    if (policy) key.policy = policy;
    const before = key.copy();
    const fits = key.take(now, cost);
    const asked = cost > 0 && cost <= specimen.most(key.policy);
    look?.({ key, now, cost, before, fits, behind: now < latest, asked });
    latest = Math.max(latest, now);
  }
  return [key, now];
}
