import type { View } from "../algorithm.ts";
import { type AlgorithmName, algorithms } from "../algorithms/index.ts";
import { type Awaitable, settled } from "../awaitable.ts";
import { createPolicy, type Policy, type PolicySettings } from "../policy.ts";
import { type Charge, passes, type Receipt, type Store, type Taken } from "../store.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { type PlainStore, plainStore } from "./plain-store.ts";

/** One step of a trace. */
export type Step =
  /** One charge per policy, with its cost; a look charges nothing. */
  | { readonly does: "take" | "look"; readonly key: string; readonly costs: readonly number[] }
  /** Refunds what an earlier step took, if anything. */
  | { readonly does: "give"; readonly step: number }
  | { readonly does: "reset"; readonly policy: number; readonly key: string }
  /** Replaces the numbers of the policy at this index from here on. */
  | { readonly does: "change"; readonly policy: number; readonly to: Policy }
  /** Milliseconds; below 0 the clock steps back. */
  | { readonly does: "move"; readonly by: number };

/** A sequence of steps for which every store must give the same results. */
export interface Trace {
  readonly seed: number;
  readonly policies: readonly Policy[];
  /** Epoch milliseconds. */
  readonly start: number;
  readonly steps: readonly Step[];
}

/** How many traces to create, and their length. */
export interface TraceOptions {
  /** Number of traces; default 20. */
  readonly count?: number | undefined;
  /** Seed of the first one; default 1. The same seed creates the same trace. */
  readonly seed?: number | undefined;
  /** Minimum number of steps of each; default 60. */
  readonly length?: number | undefined;
}

/** The result of a take or a look: one view per policy. */
export interface Answer {
  readonly now: number;
  readonly fits: readonly boolean[];
  readonly views: readonly View[];
}

type Random = (below: number) => number;

const minute = 60_000;
const keys = ["a", "b", "c"];

/**
 * Creates traces from seeds: bursts and pauses, clocks that step back, costs, looks, refunds and changes of the
 * numbers, over one to three policies of every algorithm. Windows are a minute or longer, so that a store that expires
 * keys by a clock of its own loses none during a trace.
 */
export function traces({ count = 20, seed = 1, length = 60 }: TraceOptions = {}): Trace[] {
  return Array.from({ length: count }, (_, i) => traceOf(seed + i, length));
}

/** Plays a trace on a store that reads this clock. Resolves with the result of every take and look. */
export async function replay(trace: Trace, store: Store, clock: ManualClock): Promise<Answer[]> {
  const answers: Answer[] = [];
  clock.set(trace.start);
  const play = playerOf(store, clock, [...trace.policies]);
  for (const step of trace.steps) {
    const answer = await play(step);
    if (answer) answers.push(answer);
  }
  return answers;
}

type Player = (step: Step) => Awaitable<Answer | undefined>;

/** Returns a function that plays one step after another; it changes `policies` itself. */
function playerOf(store: Store, clock: ManualClock, policies: Policy[]): Player {
  const receipts = new Map<number, Receipt>();
  let next = 0;

  function ask(key: string, costs: readonly number[], keep: boolean): Awaitable<Answer> {
    const at = next;
    const charges = costs.map((cost, i) => ({ policy: policies[i]!, key, cost }));
    return settled(store.take(charges, keep), (taken) => {
      if (keep && passes(charges, taken.fits)) receipts.set(at, { ...taken, charges });
      return answerOf(charges, taken);
    });
  }

  function play(step: Step): Awaitable<Answer | undefined> {
    switch (step.does) {
      case "take":
      case "look":
        return ask(step.key, step.costs, step.does === "take");
      case "give": {
        const receipt = receipts.get(step.step);
        receipts.delete(step.step);
        return receipt && settled(store.give(receipt), nothing);
      }
      case "reset":
        return settled(store.reset(policies[step.policy]!, step.key), nothing);
      case "change":
        policies[step.policy] = step.to;
        return undefined;
      case "move":
        clock.advance(step.by);
        return undefined;
    }
  }

  return (step) => {
    const answer = play(step);
    next++;
    return answer;
  };
}

function nothing(): undefined {}

function answerOf(charges: readonly Charge[], { now, fits, states }: Taken): Answer {
  const views = charges.map(({ policy, cost }, i) =>
    policy.algorithm.view(states[i]!, now, cost, policy.params(now)),
  );
  return { now, fits: [...fits], views };
}

function traceOf(seed: number, length: number): Trace {
  const random = randomOf(seed);
  const policies = Array.from({ length: 1 + random(3) }, (_, i) => policyOf(random, `p${i}`));
  const clock = manualClock(1_700_006_400_000 + random(90) * 1000 * minute);
  const start = clock();
  const steps: Step[] = [];
  const present = [...policies];
  const store = plainStore({ clock });
  const play = playerOf(store, clock, present);
  while (steps.length < length) {
    for (const step of nextSteps(random, present, steps.length, store)) {
      steps.push(step);
      void play(step);
    }
  }
  return { seed, policies, start, steps };
}

function nextSteps(
  random: Random,
  policies: readonly Policy[],
  earlier: number,
  store: PlainStore,
): Step[] {
  const key = keys[random(keys.length)]!;
  const dice = random(100);
  const { window } = policies[random(policies.length)]!;
  if (dice < 50) {
    const does = dice < 42 ? "take" : "look";
    const burst = random(4) === 0 ? 2 + random(6) : 1;
    const costs = policies.map(() => (random(3) === 0 ? random(7) : 1));
    return Array.from({ length: burst }, () => ({ does, key, costs }));
  }
  if (dice < 75)
    return [{ does: "move", by: random(4) === 0 ? random(2 * window) : random(window / 5) }];
  if (dice < 80) return stepBack(random, window, policies, store);
  if (dice < 88) return [{ does: "give", step: random(earlier + 1) }];
  const policy = random(policies.length);
  if (dice < 92) return [{ does: "reset", policy, key }];
  return [
    { does: "change", policy, to: policyOf(random, policies[policy]!.name, policies[policy]) },
  ];
}

/** Resets expired keys first: a store may or may not have removed them. */
function stepBack(
  random: Random,
  window: number,
  policies: readonly Policy[],
  store: PlainStore,
): Step[] {
  const resets = store.stale().map(({ policy, key }): Step => {
    return { does: "reset", policy: policies.findIndex((p) => p.name === policy.name), key };
  });
  return [...resets, { does: "move", by: -1 - random(random(3) === 0 ? 2 * window : 1000) }];
}

/** Returns any policy, or one that can read the state of another. */
function policyOf(random: Random, name: string, like?: Policy): Policy {
  const names = Object.keys(algorithms) as AlgorithmName[];
  const algorithm = (like?.algorithm.name ?? names[random(names.length)]) as AlgorithmName;
  const segments = like ? Number(like.kind.split("/")[1] ?? 1) : 1 + random(4);
  const calendar = like ? like.params(0).length > 4 : random(4) === 0;
  const settings: PolicySettings = {
    name,
    space: name,
    algorithm,
    limit: 1 + random(8),
    window: minute * [1, 2, 7, 60, 1440][random(5)]! * 12,
    timeZone: "Europe/Berlin",
    burst: algorithm.endsWith("bucket") ? 1 + random(8) : undefined,
    segments: algorithm === "sliding-window" ? segments : 1,
    align: random(2) === 0 ? "clock" : "first-request",
    delay: true,
    shadow: like ? like.shadow : random(6) === 0,
    countRefused: like ? like.countRefused : random(5) === 0,
    onStoreError: "open",
  };
  const isCalendar = calendar && algorithm === "fixed-window";
  return createPolicy(isCalendar ? { ...settings, window: "day", align: "clock" } : settings);
}

/** Marsaglia's 32-bit xorshift: whole numbers from 0 to below a bound. */
function randomOf(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
}
