import { createLimiter, type Limiter } from "../../limiter.ts";
import type { LimiterOptions } from "../../options/limiter-options.ts";
import type { PolicyOptions } from "../../options/policy-options.ts";
import { createPolicy, type Policy, type PolicySettings } from "../../policy.ts";
import type { Charge, Store, Taken } from "../../store.ts";
import type { ManualClock } from "../manual-clock.ts";

/** A test of a store: its name, and a function given an empty store that reads this clock. */
export type StoreTest = readonly [
  name: string,
  run: (store: Store, clock: ManualClock) => Promise<void>,
];

type Options = Omit<PolicyOptions, "name">;

/** Milliseconds; hours, so that a store that expires keys by a clock of its own loses none. */
export const window = 14_400_000;

/** A policy of every algorithm that admits 5 at once. */
export const everyAlgorithm: readonly (readonly [name: string, options: Options])[] = [
  ["a fixed window", { algorithm: "fixed-window", limit: 5, window }],
  ["a window of its own", { algorithm: "fixed-window", align: "first-request", limit: 5, window }],
  [
    "a calendar window",
    { algorithm: "fixed-window", limit: 5, window: "day", timeZone: "Asia/Tokyo" },
  ],
  ["a sliding window", { limit: 5, window }],
  ["a sliding window in segments", { limit: 5, window, segments: 6 }],
  ["a sliding log", { algorithm: "sliding-log", limit: 5, window }],
  ["a token bucket", { algorithm: "token-bucket", limit: 7, window, burst: 5 }],
  ["a leaky bucket", { algorithm: "leaky-bucket", limit: 7, window, burst: 5 }],
];

/** Creates a limiter of one policy, named after its options. */
export function limiterOn(store: Store, options: Options): Limiter {
  const name = JSON.stringify(options).replace(/[^\w]/g, "");
  return createLimiter({ ...options, name, store } as LimiterOptions);
}

export function policy(settings: Partial<PolicySettings>): Policy {
  const name = settings.name ?? "policy";
  return createPolicy({
    name,
    space: name,
    algorithm: "fixed-window",
    limit: 5,
    window,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
    ...settings,
  });
}

export function charge(policy: Policy, key = "key", cost = 1): Charge {
  return { policy, key, cost };
}

export async function remainingOf(store: Store, policy: Policy, key = "key"): Promise<number> {
  return viewOf(await store.take([charge(policy, key)], false), policy).remaining;
}

export function viewOf(
  { now, states }: Taken,
  { algorithm, params }: Policy,
): { remaining: number } {
  return algorithm.view(states[0]!, now, 1, params(now));
}
