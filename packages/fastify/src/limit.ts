import type { ServerResponse } from "node:http";
import { ConfigError, type Decision, type Limiter } from "@spillway/core";
import { createGuard, type HttpOptions, misplaced } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import { fastify } from "./fastify.ts";
import { type FastifyMessage, hookOf, type RateLimitHook } from "./hook.ts";
import { type UsageHandler, usageOf } from "./usage.ts";

/** A hook with its own limiter. */
export interface LimitHook extends RateLimitHook {
  /** Reads and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /**
   * Charges a request from within a handler, and sets the headers of the reply, if given, but leaves it to you to
   * refuse. Resolves with the decision: if this limiter has charged the request already, with the earlier one. Rejects
   * if a function of the options fails. Not for these functions themselves, which would wait for their own answer.
   */
  check(request: FastifyMessage, reply?: FastifyMessage): Promise<Decision>;
  /** Creates a route handler that sends clients their own usage of every policy as JSON, and charges nothing. */
  usage(): UsageHandler;
}

/**
 * Creates a hook with its own limiter for one place: `{ preHandler: limit({ limit: 5, window: "1m" }) }`. Needs no
 * plugin. Throws a `ConfigError` that names each invalid option.
 */
export function limit<Req = FastifyRequest>(options: HttpOptions<Req>): LimitHook {
  const guard = createGuard(fastify, options as HttpOptions<never> as HttpOptions<FastifyRequest>);
  return Object.assign(
    hookOf((request) => {
      if (request.raw === undefined) throw notAPlugin();
      return guard;
    }),
    {
      limiter: guard.limiter,
      async check(given: FastifyMessage, reply?: FastifyMessage): Promise<Decision> {
        const request = given as FastifyRequest;
        if (typeof request?.raw !== "object") throw misplacedCheck(given);
        const decision = await guard.check(request, reply?.raw as ServerResponse | undefined);
        request.rateLimit = decision;
        return decision;
      },
      usage: () => usageOf([guard]),
    },
  );
}

function misplacedCheck(given: unknown): ConfigError {
  const expected = "a request of Fastify (a key: limit.limiter.check(key))";
  return misplaced("limit.check(request)", expected, given);
}

/** For a hook that was registered as a plugin, and so is called with an instance. */
function notAPlugin(): ConfigError {
  const expected =
    'to be a hook, as in addHook("onRequest", limit(options)) or { preHandler: limit(options) } (the plugin is rateLimit)';
  return new ConfigError([
    { path: "limit(options)", expected, received: "an instance to register it on" },
  ]);
}
