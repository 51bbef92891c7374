import type { ApiKeyOptions } from "./api-key.ts";
import type { Extractor, KeyOption } from "./extractor.ts";
import type { UserOptions } from "./extractors.ts";

/** The extractors that ask functions of the request, typed for an adapter: its framework's unless another is named. */
export interface ExtractorsOf<Default> {
  /** Identifies by the API key of a request. */
  readonly apiKey: <Req = Default>(options?: ApiKeyOptions<Req>) => Extractor;
  /** Identifies by the user that authentication found; an id must be a string, or made one by `from`. */
  readonly user: <Req = Default>(options?: UserOptions<Req>) => Extractor;
  /** Identifies by all of the parts together, extractors or functions of the request. */
  readonly join: <Req = Default>(...parts: KeyOption<Req>[]) => Extractor;
}
