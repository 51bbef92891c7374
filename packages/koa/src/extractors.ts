import {
  apiKey as coreApiKey,
  join as coreJoin,
  user as coreUser,
  type ExtractorsOf,
} from "@spillway/core/http";
import type { KoaContext } from "./koa.ts";

type Own = ExtractorsOf<KoaContext>;

/** Identifies by the API key of a request; see `@spillway/core/http`, here with this framework's request. */
export const apiKey: Own["apiKey"] = coreApiKey;

/** Identifies by the user that authentication found; an id must be a string, or made one by `from`. */
export const user: Own["user"] = coreUser;

/** Identifies by all of the parts together, extractors or functions of the request. */
export const join: Own["join"] = coreJoin;
