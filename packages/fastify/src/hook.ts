import { ConfigError } from "@spillway/core";
import {
  admitThen,
  failureOf,
  type Guard,
  isHeadSent,
  lowerCaseName,
  misleads,
  type Refusal,
  sendRefusal,
  type Verdict,
} from "@spillway/core/http";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";

/** A request or reply of Fastify, with any server and any types of its route. */
export interface FastifyMessage {
  readonly raw: object;
}

/** A Fastify hook for `onRequest`, `preValidation` and `preHandler`. */
export type RateLimitHook = (
  request: FastifyMessage,
  reply: FastifyMessage,
  done: HookHandlerDoneFunction,
) => void;

/** Chooses the guard of a request. */
export type GuardFor = (request: FastifyRequest) => Guard<FastifyRequest> | undefined;

/** Creates a hook of a guard chosen per request; without one, the request passes. */
export function hookOf(guardFor: GuardFor): RateLimitHook {
  return (given, answer, done) => {
    const request = given as FastifyRequest;
    const reply = answer as FastifyReply;
    // Hooks with a payload have it in place of `done`; from there on a refusal comes too late.
    if (typeof done !== "function" || isOver(reply)) throw misplacedHook();
    let guard: Guard<FastifyRequest> | undefined;
    try {
      guard = guardFor(request);
    } catch (thrown) {
      done(failureOf(thrown));
      return;
    }
    if (!guard) {
      done();
      return;
    }
    const then = (outcome: Verdict | Error): void => carryOut(outcome, request, reply, done);
    admitThen(guard, request, then, reply.raw);
  };
}

/** Whether a reply has ended; what is registered as a plugin is called with something else here. */
function isOver({ raw }: { readonly raw?: { readonly writableEnded: boolean } }): boolean {
  return raw?.writableEnded === true;
}

function misplacedHook(): ConfigError {
  const expected = 'to be a hook "onRequest", "preValidation" or "preHandler", called with done';
  return new ConfigError([
    { path: "limit(options)", expected, received: "another hook, or a call without done" },
  ]);
}

function carryOut(
  outcome: Verdict | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (outcome instanceof Error) {
    done(outcome);
    return;
  }
  if (outcome.decision) request.rateLimit = outcome.decision;
  if (outcome.kind === "pass") {
    setFields(reply, outcome.fields);
    done();
  } else if (outcome.kind === "refuse" && !reply.sent) refuse(outcome, request, reply, done);
}

function setFields(reply: FastifyReply, fields: Refusal["fields"]): void {
  for (let i = 0; i < fields.length; i++) reply.header(lowerCaseName(fields[i]![0]), fields[i]![1]);
}

/** Ends the connection after the response: a WebSocket plugin ends a refused handshake only if its hook ran before. */
function endConnection({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
  reply.header("connection", "close");
  // A stand-in for a socket may lack this method.
  reply.raw.once("finish", () => (socket as Partial<typeof socket>).destroySoon?.());
}

function refuse(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  // Fastify keeps headers apart from Node's response until the head is written.
  for (const name of Object.keys(reply.getHeaders())) {
    if (misleads(name)) reply.removeHeader(name);
  }
  const { error, status, body } = refusal;
  setFields(reply, refusal.fields);
  if (request.raw.headers.upgrade !== undefined) endConnection(request, reply);
  if (error) done(error);
  else if (isHeadSent(reply.raw)) sendRefusal(reply.raw, refusal);
  // An earlier hook's serializer would serialize the string again.
  else
    reply.serializer(String).code(status).header("content-type", body.contentType).send(body.text);
}
