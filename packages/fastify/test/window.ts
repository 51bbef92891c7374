import { memoryStore } from "@spillway/core";
import { type ManualClock, manualClock } from "@spillway/core/testing";

/** A window that starts with a key's first request, on a clock that stands. */
export function windowOf(limit: number, clock: ManualClock = manualClock()) {
  return {
    limit,
    window: "1m",
    algorithm: "fixed-window",
    align: "first-request",
    store: memoryStore({ clock }),
  } as const;
}
