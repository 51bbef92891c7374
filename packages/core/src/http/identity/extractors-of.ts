import type { ApiKeyOptions } from "./api-key.ts";
import type { Extractor, KeyOption } from "./extractor.ts";
import type { UserOptions } from "./extractors.ts";

/** The extractors that call functions of the request, typed for an adapter: with its framework's request by default. */
export interface ExtractorsOf<Default> {
  /** Identifies clients by the API key of a request. */
  readonly apiKey: <Req = Default>(options?: ApiKeyOptions<Req>) => Extractor;
  /** Identifies clients by the authenticated user; an id must be a string, or converted to one by `from`. */
  readonly user: <Req = Default>(options?: UserOptions<Req>) => Extractor;
  /** Identifies clients by all parts together: extractors, functions of the request, or lists of these. */
  readonly join: <Req = Default>(...parts: KeyOption<Req>[]) => Extractor;
}
