import { type Awaitable, isPromise } from "../awaitable.ts";
import { storeKey } from "../key.ts";
import { addressKey, type Call } from "./call.ts";
import type { Extractor, Identity } from "./extractor.ts";

/** Makes what finds the keys that a request has by these extractors, as stores see them. */
export function ownKeys(
  extractors: readonly Extractor[],
  call: Call,
): () => Awaitable<readonly string[]> {
  return () => keysFrom(0, extractors, call, []);
}

function keysFrom(
  from: number,
  extractors: readonly Extractor[],
  call: Call,
  keys: string[],
): Awaitable<readonly string[]> {
  const put = (found: Identity | undefined): void =>
    void keys.push(storeKey(found?.key ?? addressKey(call.address(), call.ipv6Prefix)));
  for (let i = from; i < extractors.length; i++) {
    const found = extractors[i]!.identify(call);
    if (isPromise(found)) {
      return found.then((known) => {
        put(known);
        return keysFrom(i + 1, extractors, call, keys);
      });
    }
    put(found);
  }
  return keys;
}
