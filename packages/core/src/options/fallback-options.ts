import { z } from "zod";
import type { Clock } from "../clock.ts";
import { ConfigError } from "../errors.ts";
import { longestTimer } from "../longest-timer.ts";
import type { Store } from "../store.ts";
import { isWhole } from "../whole.ts";
import { checkOptions } from "./check-options.ts";
import { aFunction, expectingNumber, milliseconds, partOfOne, wholeFromOne } from "./expecting.ts";
import { isStore, storeSchema } from "./store-schema.ts";

/** When a `fallbackStore` suspends its primary, and what decides meanwhile. */
export interface FallbackStoreOptions {
  /** Decides while the primary does not answer. Default: its own `memoryStore()`. */
  readonly fallback?: Store | undefined;
  /** The part of each limit that the fallback grants, above 0 and up to 1, such as 1 / number of servers. Default 1. */
  readonly share?: number | undefined;
  /** Milliseconds after which the primary counts as failed, whatever its own timeout. Default 1000. */
  readonly deadline?: number | undefined;
  /** Failures in a row after which only probes reach the primary. Default 3. */
  readonly failures?: number | undefined;
  /**
   * Maximum milliseconds between two probes of a failing primary. Also how long probes must succeed before it counts as
   * recovered if none required a write. Default 1000.
   */
  readonly retry?: number | undefined;
  /** Called once when the primary is suspended, with its last error. */
  readonly onEnter?: ((error: unknown) => unknown) | undefined;
  /** Called once when the primary is back. */
  readonly onLeave?: (() => unknown) | undefined;
  /** Milliseconds, for the probes. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

const schema = z.strictObject({
  fallback: storeSchema.optional(),
  share: partOfOne.optional(),
  deadline: expectingNumber(
    `whole milliseconds from 1 to ${longestTimer}`,
    (v) => isWhole(v) && v >= 1 && v <= longestTimer,
  ).optional(),
  failures: wholeFromOne.optional(),
  retry: milliseconds.optional(),
  onEnter: aFunction.optional(),
  onLeave: aFunction.optional(),
  clock: aFunction.optional(),
});

/**
 * Validates the arguments of `fallbackStore`. Throws a `ConfigError` for a primary that is not a store, and for invalid
 * options.
 */
export function checkFallbackOptions(
  primary: Store,
  options: FallbackStoreOptions,
): FallbackStoreOptions {
  checkOptions(z.object({ primary: storeSchema }), { primary });
  if (Object.hasOwn(Object(options), "take") && isStore(options)) {
    const expected = "options: the store that decides meanwhile stands in { fallback }";
    const path = "fallbackStore(primary, options)";
    throw new ConfigError([{ path, expected, received: "a store" }]);
  }
  return checkOptions(schema, options);
}
