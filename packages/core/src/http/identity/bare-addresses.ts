import type { Limiter } from "../../limiter.ts";
import { parseAddress } from "../address/address.ts";
import type { Extractor } from "./extractor.ts";

/**
 * Watches a limiter used by hand for addresses as they stand, where the keys of requests all have a namespace: such a
 * key is no client's. Returns the same limiter if one of its extractors may give such a key.
 */
export function watchBareAddresses(
  limiter: Limiter,
  extractors: readonly Extractor[],
  warn: (code: string, message: string) => void,
): Limiter {
  if (extractors.some(mayBeBare)) return limiter;
  const watched = <Rest extends readonly unknown[], T>(
    use: (key: string, ...rest: Rest) => T,
  ): typeof use => {
    return (key, ...rest) => {
      if (typeof key === "string" && parseAddress(key) !== undefined) {
        warn("SPILLWAY_BARE_ADDRESS", bareAddress);
      }
      return use(key, ...rest);
    };
  };
  return {
    ...limiter,
    check: watched(limiter.check),
    checkOrThrow: watched(limiter.checkOrThrow),
    peek: watched(limiter.peek),
    reset: watched(limiter.reset),
  };
}

/** Whether an extractor's keys are used as they are: a function's, or one's without a namespace. */
function mayBeBare({ namespace, parts }: Extractor): boolean {
  if (namespace !== undefined) return namespace === "text";
  return parts === undefined || parts.some(mayBeBare);
}

const bareAddress =
  "A limiter was used by hand with an address as it stands, which is no client's key: nobody is looked at, charged or reset. Use keyOf.ip(address), or the key of a decision.";
