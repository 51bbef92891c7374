import { type ManualClock, manualClock } from "@spillway/core/testing";
import {
  type ExpressRequest,
  memoryStore,
  type RateLimitOptions,
  rateLimit,
} from "../src/index.ts";

/** The window of scenarios that name none: it starts with a key's first request. */
export const minute = {
  window: "1m",
  algorithm: "fixed-window",
  align: "first-request",
} as const;

export const clock: ManualClock = manualClock();

type Rest = Omit<Extract<RateLimitOptions, { limit: unknown }>, "window">;

/** Creates a limiter with that window, on a store of its own whose clock stands still. */
export function perMinute(
  limit: number,
  options: Partial<Omit<Rest, "limit" | "policies">> = {},
): ReturnType<typeof rateLimit<ExpressRequest>> {
  const common = { ...minute, limit, store: memoryStore({ clock }), onWarning: () => {} };
  return rateLimit({ ...common, ...options } as RateLimitOptions);
}
