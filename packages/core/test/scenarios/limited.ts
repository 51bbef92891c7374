import type { Decision } from "../../src/decision.ts";
import { retryAfterSeconds } from "../../src/http/headers/retry-after.ts";
import { createLimiter, type Limiter } from "../../src/limiter.ts";
import { type MemoryStore, memoryStore } from "../../src/memory-store.ts";
import type { PolicyOptions } from "../../src/options/policy-options.ts";
import { type ManualClock, manualClock } from "../../src/testing/manual-clock.ts";

/** What a client would see: a status, the remaining units, and for a refusal the seconds of Retry-After. */
export type Told = readonly [status: number, remaining: number, retryAfter?: number | undefined];

export interface Limited {
  readonly limiter: Limiter;
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  ask(key?: string, cost?: number): Promise<Told>;
  /** Checks at a time, in milliseconds from the start. */
  at(time: number, key?: string, cost?: number): Promise<Told>;
}

/** Creates a limiter on the scenarios' clock: by default with a window that a key's first request starts. */
export function limited(options: Partial<PolicyOptions>): Limited {
  const clock = manualClock();
  const start = clock();
  const store = memoryStore({ clock });
  const first = { algorithm: "fixed-window", align: "first-request" } as const;
  const named = {
    limit: 1,
    window: "60s",
    ...(options.algorithm ? {} : first),
    ...options,
  } as const;
  const limiter = createLimiter({ ...named, store });
  const ask = async (key = "key", cost?: number) => told(await limiter.check(key, { cost }));
  return {
    limiter,
    store,
    clock,
    ask,
    at(time, key, cost) {
      clock.set(start + time);
      return ask(key, cost);
    },
  };
}

/** Converts a decision to what a client would see. */
export function told({ allowed, reason, remaining, retryAfter }: Decision): Told {
  if (allowed) return [200, remaining];
  if (reason === "store-unavailable") return [503, remaining];
  const seconds = retryAfterSeconds(retryAfter);
  return seconds === undefined ? [429, remaining] : [429, remaining, seconds];
}

/** Runs a function so many times, one after another. */
export async function times<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await run(i));
  return results;
}
