import type { z } from "zod";
import type { Store } from "../store.ts";
import { expecting, isFunction } from "./expecting.ts";

/** The schema of a store. */
export const storeSchema: z.ZodType = expecting(
  "a store (an object with take, give and reset; of a client of Redis, redisStore(client))",
  isStore,
  (value) => (isFunction(value) ? " (call what makes it, such as memoryStore())" : ""),
);

/** Whether a value has the methods of a store. */
export function isStore(value: unknown): boolean {
  const store = value as Partial<Store> | null | undefined;
  return isFunction(store?.take) && isFunction(store?.give) && isFunction(store?.reset);
}
