import { storeKey } from "../../key.ts";
import { keyPrefix } from "./namespace.ts";

const joined = keyPrefix("join");

/**
 * Returns the key of clients that several keys identify together, as stores see each: every one in turn after its
 * length, so that no others give the same.
 */
export function joinedKey(keys: readonly string[]): string {
  let key = joined;
  for (const one of keys.map(storeKey)) key += `${one.length}:${one}`;
  return key;
}
