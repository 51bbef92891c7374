import { type MemoryStore, memoryStore } from "@spillway/core";
import { type ManualClock, manualClock } from "@spillway/core/testing";

/** The options of a window that starts with a key's first request. */
export interface Window {
  readonly limit: number;
  readonly window: "1m";
  readonly algorithm: "fixed-window";
  readonly align: "first-request";
  readonly store: MemoryStore;
}

/** Creates a window of a minute, on a clock that stands still. */
export function windowOf(limit: number, clock: ManualClock = manualClock()): Window {
  return {
    limit,
    window: "1m",
    algorithm: "fixed-window",
    align: "first-request",
    store: memoryStore({ clock }),
  };
}
