import { z } from "zod";
import type { Clock } from "../clock.ts";
import { ConfigError } from "../errors.ts";
import type { Store } from "../store.ts";
import { checkOptions } from "./check-options.ts";
import { aFunction, expecting, milliseconds, wholeFromOne } from "./expecting.ts";
import { isStore, storeSchema } from "./store-schema.ts";

/** When a `fallbackStore` gives its primary up, and what decides then. */
export interface FallbackStoreOptions {
  /** Decides while the primary does not answer. Default: a `memoryStore()` of its own. */
  readonly fallback?: Store | undefined;
  /** The part of each limit that the fallback grants, above 0 and up to 1, such as 1 / number of servers. Default 1. */
  readonly share?: number | undefined;
  /** Milliseconds after which the primary counts as failed, whatever its own patience. Default 1000. */
  readonly deadline?: number | undefined;
  /** Failures in a row after which the primary is not asked any more. Default 3. */
  readonly failures?: number | undefined;
  /**
   * Milliseconds between two probes of a primary that fails, at the most; and for how long it must have answered without
   * a failure where no answer was of a request that it had to write. Default 1000.
   */
  readonly retry?: number | undefined;
  /** Told once when the primary is given up, with what it met last. */
  readonly onEnter?: ((error: unknown) => unknown) | undefined;
  /** Told once when the primary is back. */
  readonly onLeave?: (() => unknown) | undefined;
  /** Milliseconds for the probes. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

const schema = z.strictObject({
  fallback: storeSchema.optional(),
  share: expecting(
    "a number above 0 and up to 1",
    (v) => typeof v === "number" && v > 0 && v <= 1,
  ).optional(),
  deadline: milliseconds.optional(),
  failures: wholeFromOne.optional(),
  retry: milliseconds.optional(),
  onEnter: aFunction.optional(),
  onLeave: aFunction.optional(),
  clock: aFunction.optional(),
});

/** Throws a `ConfigError` for a primary that is no store, and for options that do not fit. */
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
