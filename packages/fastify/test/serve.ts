import { PassThrough } from "node:stream";
import type { Handler, HttpApp, Served } from "@spillway/core/testing";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type HTTPMethods,
} from "fastify";
import { limit, rateLimit, type UsageHandler } from "../src/index.ts";

/** Serves an application of the suite: limiters as plugins, and one that is mounted several times as a hook. */
export async function serve(plan: HttpApp): Promise<Served> {
  const app = Fastify({ ...trustOf(plan), exposeHeadRoutes: false });
  app.decorateRequest("user", null);
  app.addHook("onRequest", async (request, reply) => {
    const name = String(request.headers["x-user"] ?? "");
    if (Object.hasOwn(plan.users, name)) Object.assign(request, { user: plan.users[name] });
    reply.headers(plan.before);
  });
  const limiters: Served["limiters"][number][] = [];
  let usage: UsageHandler | undefined;
  for (const { options, times } of plan.limits) {
    const given = options<FastifyRequest>(({ raw }) => raw);
    if (times === 1) {
      await app.register(rateLimit, given);
      limiters.push([...app.rateLimit.limiters.values()].at(-1)!);
      usage ??= app.rateLimit.usage();
      continue;
    }
    const hook = limit(given);
    for (let i = 0; i < times; i++) app.addHook("onRequest", hook);
    limiters.push(hook.limiter);
    usage ??= hook.usage();
  }
  if (plan.usage !== undefined) {
    const config = { rateLimit: false } as const;
    app.route({ method: ["GET", "HEAD"], url: plan.usage, config, handler: usage! });
  }
  addRoutes(app, plan);
  await app.ready();
  return { server: app.server, limiters, close: () => app.close() };
}

function trustOf({ trust }: HttpApp): FastifyServerOptions {
  if (trust === undefined) return {};
  return { trustProxy: trust === "everybody" ? true : (_address, hop) => hop < 1 };
}

function addRoutes(app: FastifyInstance, { routes, onError }: HttpApp): void {
  for (const [name, handler] of Object.entries(routes)) {
    const [method, url] = name.split(" ") as [HTTPMethods, string];
    app.route({ method, url, handler: (request, reply) => answer(handler, request, reply) });
  }
  if (!onError) return;
  app.setErrorHandler((error, _, reply) => {
    for (const name of Object.keys(reply.getHeaders())) {
      reply.removeHeader(name);
      reply.raw.removeHeader(name);
    }
    const { status, body } = onError(error);
    reply.code(status).send(body);
  });
}

async function answer(
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  handler.reached?.(request.rateLimit);
  await handler.until?.();
  if (handler.fails) throw handler.fails();
  const body = handler.body ?? "ok";
  reply.code(handler.status ?? 200).headers(handler.headers ?? {});
  if (!handler.open) return reply.send(body);
  const stream = new PassThrough();
  stream.write(body);
  return reply.send(stream);
}
