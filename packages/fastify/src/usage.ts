import { type Guard, usageAnswer } from "@spillway/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastifyMessage } from "./hook.ts";

/** A handler of a route that tells clients their own usage. */
export type UsageHandler = (request: FastifyMessage, reply: FastifyMessage) => Promise<void>;

/** Makes one of what guards know by the time that it is asked. */
export function usageOf(guards: readonly Guard<FastifyRequest>[]): UsageHandler {
  return async (request, answer) => {
    const reply = answer as FastifyReply;
    const { status, fields, body } = await usageAnswer(guards, request as FastifyRequest);
    for (const [name, value] of fields) reply.header(name, value);
    // A schema of the route, or an earlier hook's serializer, would write the text once more.
    await reply
      .serializer(String)
      .code(status)
      .header("content-type", body.contentType)
      .send(body.text);
  };
}
