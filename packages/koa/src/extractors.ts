import {
  type ApiKeyOptions,
  apiKey as coreApiKey,
  user as coreUser,
  type Extractor,
  type UserOptions,
} from "@spillway/core/http";
import type { KoaContext } from "./koa.ts";

/** Identifies by the API key of a request; see `@spillway/core/http`, here with this framework's request. */
export const apiKey: <Req = KoaContext>(options?: ApiKeyOptions<Req>) => Extractor = coreApiKey;

/** Identifies by the user that authentication found; an id must be a text, or made one by `from`. */
export const user: <Req = KoaContext>(options?: UserOptions<Req>) => Extractor = coreUser;
