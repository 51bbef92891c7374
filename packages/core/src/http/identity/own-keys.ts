import { type Awaitable, eachOf, settled } from "../../awaitable.ts";
import { storeKey } from "../../key.ts";
import type { RequestContext } from "../request-context.ts";
import { apiKey } from "./api-key.ts";
import type { Extractor } from "./extractor.ts";
import { ip, user } from "./extractors.ts";

const defaultExtractors: readonly Extractor[] = [apiKey(), user(), ip()];

/**
 * Returns the extractors whose keys list entries may name: every part of the policies' keys on its own, since the first
 * that identifies must not hide the others, plus `apiKey()` and `user()` if no policy has them, and always the address.
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

/** Returns a function that finds a request's keys by these extractors, as stores see them. */
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
