import {
  apiKey as coreApiKey,
  join as coreJoin,
  user as coreUser,
  type ExtractorsOf,
} from "@spillway/core/http";
import type { KoaContext } from "./koa.ts";

type Own = ExtractorsOf<KoaContext>;

/** Identifies clients by the API key of a request; as in `@spillway/core/http`, typed for this framework's request. */
export const apiKey: Own["apiKey"] = coreApiKey;

/** Identifies clients by the authenticated user; an id must be a string, or converted to one by `from`. */
export const user: Own["user"] = coreUser;

/** Identifies clients by all parts together: extractors, functions of the request, or lists of these. */
export const join: Own["join"] = coreJoin;
