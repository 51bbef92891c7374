import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Store } from "../store.ts";
import { checkOptions } from "./check-options.ts";
import { aFunction, milliseconds, partOfOne, wholeFromOne } from "./expecting.ts";
import { storeSchema } from "./store-schema.ts";

/** How much a `leasedStore` charges in advance, and for how long. */
export interface LeasedStoreOptions {
  /**
   * The part of what is left of a key that one call may charge in advance, above 0 and up to 1.
   * Default 0.01.
   */
  readonly share?: number | undefined;
  /**
   * Milliseconds for which units may be used, well above the store's response time; older ones are given back when a
   * request next asks the store. For so long, a reset of another process may go unnoticed. Default 1000.
   */
  readonly maxAge?: number | undefined;
  /** Maximum number of keys. Default 10 000. */
  readonly maxKeys?: number | undefined;
  /** Milliseconds that never step back. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

const schema = z.strictObject({
  share: partOfOne.optional(),
  maxAge: milliseconds.optional(),
  maxKeys: wholeFromOne.optional(),
  clock: aFunction.optional(),
});

/**
 * Validates the arguments of `leasedStore`. Throws a `ConfigError` for anything but a store, and for invalid options.
 */
export function checkLeasedOptions(store: Store, options: LeasedStoreOptions): LeasedStoreOptions {
  checkOptions(z.object({ store: storeSchema }), { store });
  return checkOptions(schema, options);
}
