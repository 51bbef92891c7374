import {
  failureOf,
  type Guard,
  misleads,
  type Refusal,
  sendRefusal,
  type Verdict,
} from "@spillway/core/http";
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
    const fail = (thrown: unknown): void => done(failureOf(thrown));
    let guard: Guard<FastifyRequest> | undefined;
    let verdict: Verdict | Promise<Verdict> | undefined;
    try {
      attachResponse(request, reply);
      guard = guardFor(request);
      verdict = guard?.admit(request);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    if (!verdict) done();
    else if ("kind" in verdict) carryOut(verdict, request, reply, done);
    else {
      verdict
        .then((decided) => carryOut(decided, request, reply, done), fail)
        // What later hooks throw is nobody's who could be called: done has been called.
        .catch((thrown: unknown) => guard?.report(thrown, request));
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
  else if (verdict.kind === "refuse" && !reply.sent) refuse(verdict, reply, done);
}

function refuse(refusal: Refusal, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  // Fastify keeps headers beside Node's response, until the head is written.
  for (const name of Object.keys(reply.getHeaders())) {
    if (misleads(name)) reply.removeHeader(name);
  }
  const { error, status, body } = refusal;
  if (error) done(error);
  else if (reply.raw.headersSent) sendRefusal(reply.raw, refusal);
  // An earlier hook's serializer would write the text once more.
  else
    reply.serializer(String).code(status).header("content-type", body.contentType).send(body.text);
}
