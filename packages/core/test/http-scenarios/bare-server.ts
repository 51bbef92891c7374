import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createGuard,
  type Framework,
  type Guard,
  sendRefusal,
  sendUsage,
  usageAnswer,
} from "../../src/http/index.ts";
import type { Handler, HttpApp, Served } from "../../src/testing/index.ts";

/** A request of Node's own server, with the properties that the suite's applications set. */
export interface BareRequest extends IncomingMessage {
  res?: ServerResponse;
  user?: unknown;
  rateLimit?: unknown;
}

/** Node's own server as a framework: the guard without an adapter. */
export function bareFramework(trust?: HttpApp["trust"]): Framework<BareRequest> {
  const peer = ({ socket }: BareRequest): string | undefined => socket.remoteAddress;
  const forwarded = (req: BareRequest): string[] =>
    String(req.headers["x-forwarded-for"] ?? "").split(",");
  return {
    raw: (req) => req,
    response: (req) => req.res,
    address: (req) =>
      trust === undefined ? peer(req) : forwarded(req).at(trust === "one-hop" ? -1 : 0),
    trust: () => (trust === undefined ? undefined : "own"),
    doubts: () =>
      trust === "everybody" ? { code: "SPILLWAY_TRUSTS_EVERYBODY", message: "" } : undefined,
    user: (req) => req.user,
    claims: (req) => req.user,
    route: () => undefined,
  };
}

/** Serves an application of the suite on Node's own server. */
export function serveBare(app: HttpApp): Served {
  const framework = bareFramework(app.trust);
  const limits = app.limits.map(({ options, times }) => ({
    guard: createGuard(
      framework,
      options<BareRequest>((req) => req),
    ),
    times,
  }));
  const guards = limits.flatMap(({ guard, times }) => Array<typeof guard>(times).fill(guard));
  const server = createServer((req: BareRequest, res) => {
    req.res = res;
    req.user = Object.hasOwn(app.users, userOf(req)) ? app.users[userOf(req)] : undefined;
    for (const [name, value] of Object.entries(app.before)) res.setHeader(name, value);
    if (req.url === app.usage) {
      usageAnswer([guards[0]!], req)
        .then((answer) => sendUsage(res, answer))
        .catch((error: unknown) => fail(app, error, res));
      return;
    }
    pass(guards, req, res, 0)
      .then((passed) => (passed ? handle(app, req, res) : undefined))
      .catch((error: unknown) => fail(app, error, res));
  });
  return { server, limiters: limits.map(({ guard }) => guard.limiter) };
}

function userOf({ headers }: BareRequest): string {
  return String(headers["x-user"] ?? "");
}

async function pass(
  guards: readonly Guard<BareRequest>[],
  req: BareRequest,
  res: ServerResponse,
  from: number,
): Promise<boolean> {
  for (const guard of guards.slice(from)) {
    const verdict = await guard.admit(req);
    if (verdict.decision) req.rateLimit = verdict.decision;
    if (verdict.kind === "refuse" && verdict.error) throw verdict.error;
    if (verdict.kind === "refuse") sendRefusal(res, verdict);
    if (verdict.kind !== "pass") return false;
  }
  return true;
}

async function handle(app: HttpApp, req: BareRequest, res: ServerResponse): Promise<void> {
  const path = String(req.url).split("?")[0]!;
  const handler = app.routes[`${req.method} ${path}`];
  if (!handler) return void res.writeHead(404).end("no such route");
  await answer(handler, req, res);
}

async function answer(handler: Handler, req: BareRequest, res: ServerResponse): Promise<void> {
  handler.reached?.(req.rateLimit);
  await handler.until?.();
  if (handler.fails) throw handler.fails();
  res.writeHead(handler.status ?? 200, handler.headers);
  if (handler.open) res.write(handler.body);
  else res.end(handler.body ?? "ok");
}

function fail(app: HttpApp, error: unknown, res: ServerResponse): void {
  const status = (error as { status?: number }).status ?? 500;
  if (app.onError) {
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    const failure = app.onError(error);
    return void res.writeHead(failure.status).end(failure.body);
  }
  res.writeHead(status).end(String(error));
}
