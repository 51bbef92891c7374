import type { Guard, Verdict } from "@spillway/core/http";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { attachResponse } from "./fastify.ts";

/** A hook of Fastify for `onRequest`, `preValidation` and `preHandler`. */
export type RateLimitHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => void;

/** Makes a hook of a guard, chosen per request; none lets the request pass. */
export function hookOf(
  guardFor: (request: FastifyRequest) => Guard<FastifyRequest> | undefined,
): RateLimitHook {
  return (request, reply, done) => {
    const fail = (error: unknown): void => done(error as Error);
    try {
      const guard = guardFor(request);
      if (!guard) {
        done();
        return;
      }
      attachResponse(request, reply);
      const verdict = guard.admit(request);
      if ("kind" in verdict) carryOut(verdict, request, reply, done);
      else verdict.then((decided) => carryOut(decided, request, reply, done), fail);
    } catch (error) {
      fail(error);
    }
  };
}

function carryOut(
  verdict: Verdict,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (verdict.decision) request.rateLimit = verdict.decision;
  if (verdict.kind === "pass") done();
  else if (verdict.kind === "refuse" && !reply.sent) {
    const { error, status, body } = verdict;
    if (error) done(error);
    else reply.code(status).header("content-type", body.contentType).send(body.text);
  }
}
