import {
  type ApiKeyOptions,
  apiKey as coreApiKey,
  join as coreJoin,
  user as coreUser,
  type Extractor,
  type KeyFunction,
  type UserOptions,
} from "@spillway/core/http";
import type { FastifyRequest } from "fastify";

/** Identifies by the API key of a request; see `@spillway/core/http`, here with this framework's request. */
export const apiKey: <Req = FastifyRequest>(options?: ApiKeyOptions<Req>) => Extractor = coreApiKey;

/** Identifies by the user that authentication found; an id must be a text, or made one by `from`. */
export const user: <Req = FastifyRequest>(options?: UserOptions<Req>) => Extractor = coreUser;

/** Identifies by all of the parts together, extractors or functions of the request. */
export const join: <Req = FastifyRequest>(
  ...parts: readonly (Extractor | KeyFunction<Req>)[]
) => Extractor = coreJoin;
