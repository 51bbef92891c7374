import { type Awaitable, eachOf, settled } from "../../awaitable.ts";
import { storeKey } from "../../key.ts";
import type { RequestContext } from "../request-context.ts";
import { apiKey } from "./api-key.ts";
import type { Extractor } from "./extractor.ts";
import { ip, user } from "./extractors.ts";

const defaultExtractors: readonly Extractor[] = [apiKey(), user(), ip()];

/**
 * Finds what tells the keys that lists may name: every part of the policies' keys by itself, as one that answers first
 * must hide no other, and `apiKey()` and `user()` where the policies have none of their own. An address is always one.
 */
export function listedBy(
  extractors: readonly Extractor[],
  mayName: (namespace: string | undefined) => boolean,
): readonly Extractor[] {
  const own = extractors.flatMap(partsOf);
  const missing = defaultExtractors.filter(
    ({ namespace }) => namespace === "ip" || !own.some((one) => one.namespace === namespace),
  );
  return [...own, ...missing].filter(({ namespace }) => mayName(namespace));
}

/** Makes what finds the keys that a request has by these extractors, as stores see them. */
export function ownKeys(
  extractors: readonly Extractor[],
  context: RequestContext,
): () => Awaitable<readonly string[]> {
  return () =>
    eachOf(extractors, (one) =>
      settled(one.identify(context), (found) => found && storeKey(found.key)),
    );
}

function partsOf(extractor: Extractor): readonly Extractor[] {
  const { namespace, parts = [] } = extractor;
  const inner = parts.flatMap(partsOf);
  return parts.length > 0 && namespace === undefined ? inner : [extractor, ...inner];
}
