import { type Guard, usageAnswer } from "@spillway/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastifyMessage } from "./hook.ts";

/** A route handler that sends clients their own usage. */
export type UsageHandler = (request: FastifyMessage, reply: FastifyMessage) => Promise<void>;

/** Creates a usage handler for these guards, and those added later. */
export function usageOf(guards: readonly Guard<FastifyRequest>[]): UsageHandler {
  return async (request, answer) => {
    const reply = answer as FastifyReply;
    const { status, fields, body } = await usageAnswer(guards, request as FastifyRequest);
    for (const [name, value] of fields) reply.header(name, value);
    // A schema of the route, or an earlier hook's serializer, would serialize the string again.
    await reply
      .serializer(String)
      .code(status)
      .header("content-type", body.contentType)
      .send(body.text);
  };
}
