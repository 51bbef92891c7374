import type { Http2Server } from "node:http2";
import type { Server as HttpsServer } from "node:https";
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
  type FastifyTypeProvider,
  type RouteGenericInterface as Plain,
} from "fastify";
import { describe, expectTypeOf, it } from "vitest";
import byDefault, {
  apiKey,
  type Decision,
  type FastifyRateLimitOptions,
  ip,
  join,
  limit,
  memoryStore,
  type NamedPolicyOptions,
  type PolicyOptions,
  type RateLimitDecoration,
  type RouteRateLimit,
  type RuleOptions,
  rateLimit,
  type SharedOptions,
  user,
} from "../src/index.ts";

const handler = async (): Promise<string> => "ok";
const app = Fastify();

describe("registering", () => {
  it("takes the options, sync and async functions of the request, and the hook", () => {
    app.register(rateLimit, {
      limit: async (request) => (request.headers["x-tier"] === "pro" ? 100 : 10),
      window: "1m",
      hook: "preHandler",
      afterRouteHooks: true,
      key: [apiKey({ verify: async (key, request) => key !== request.id }), user(), ip()],
      cost: (request) => request.url.length,
      skip: async (request) => request.method === "OPTIONS",
      store: memoryStore(),
      onRefused: (decision, request) => request.log.warn(decision.policy),
    });
    app.register(byDefault, { policies: [{ name: "minute", limit: 10, window: "1m" }] });
    app.register(import("../src/index.ts"), { limit: 1, window: "1m" });
  });

  it("takes undefined for what is not given", () => {
    app.register(rateLimit, { limit: 1, window: "1m", key: undefined, hook: undefined });
    app.register(rateLimit, { limit: 1, window: "1m", afterRouteHooks: undefined });
    app.register(rateLimit, { limit: 1, window: "1m", policies: undefined, rules: undefined });
  });

  it("takes what several limiters share, and a policy in parts", () => {
    const shared: SharedOptions = { headers: "draft-8", onRefused: (_, request) => request.id };
    const policy: Partial<PolicyOptions> = { key: (request) => request.hostname };
    app.register(rateLimit, { ...shared, ...policy, limit: 1, window: "1m" });
    app.register(rateLimit, {
      ...shared,
      policies: [{ ...policy, name: "a", limit: 1, window: "1m" }],
    });
    app.get("/", { config: { rateLimit: { ...shared, ...policy } } }, handler);
  });

  it("refuses what is no option, and a hook that is none", () => {
    // @ts-expect-error misspelt
    app.register(rateLimit, { limt: 1, limit: 1, window: "1m" });
    // @ts-expect-error the window is missing
    app.register(rateLimit, { limit: 1 });
    // @ts-expect-error onSend is too late
    app.register(rateLimit, { limit: 1, window: "1m", hook: "onSend" });
    // @ts-expect-error a policy of several has a name
    app.register(rateLimit, { policies: [{ limit: 1, window: "1m" }] });
  });

  it("fits applications of other servers and type providers", () => {
    const http2: FastifyInstance<Http2Server> = null as never;
    const https: FastifyInstance<HttpsServer> = null as never;
    http2.register(rateLimit, { limit: 1, window: "1m" });
    https.register(rateLimit, { limit: 1, window: "1m" });
    app.withTypeProvider<Provider>().register(rateLimit, { limit: 1, window: "1m" });
  });
});

describe("B140: config.rateLimit", () => {
  it("takes options, false and functions, each in part", () => {
    app.get("/a", { config: { rateLimit: { limit: 10 } } }, handler);
    app.get("/b", { config: { rateLimit: false } }, handler);
    app.get("/c", { config: { rateLimit: undefined } }, handler);
    app.get(
      "/d",
      { config: { rateLimit: { limit: async ({ ip: text }) => text.length } } },
      handler,
    );
    app.get("/e", { config: { rateLimit: { name: "group", limit: 3, window: "5m" } } }, handler);
    app.get("/f", { config: { rateLimit: { body: () => "wait", onRefused: () => {} } } }, handler);
    const policies = [{ name: "a", limit: 1, window: 1000 }] as const;
    app.get("/g", { config: { rateLimit: { policies, headers: "draft-8" } } }, handler);
    app.route({ method: "GET", url: "/h", config: { rateLimit: { limit: 1 } }, handler });
  });

  // If Fastify infers the type of a route's config, any further property is part of what it infers.
  it("refuses what is no option, on routes whose types are given", () => {
    // @ts-expect-error misspelt
    app.get<Plain>("/a", { config: { rateLimit: { limt: 10 } } }, handler);
    // @ts-expect-error misspelt beside one that is not
    app.get<Plain>("/b", { config: { rateLimit: { limit: 1, windw: 1 } } }, handler);
    // @ts-expect-error true says nothing
    app.get<Plain>("/c", { config: { rateLimit: true } }, handler);
    // @ts-expect-error the hook is the plugin's
    app.get<Plain>("/d", { config: { rateLimit: { hook: "preHandler" } } }, handler);
    // @ts-expect-error so is its place
    app.get<Plain>("/f", { config: { rateLimit: { afterRouteHooks: true } } }, handler);
    // @ts-expect-error misspelt
    const misspelt: RouteRateLimit = { limt: 10 };
    app.get("/e", { config: { rateLimit: misspelt } }, handler);
  });

  it("refuses options of another type on any route", () => {
    // @ts-expect-error a limit is a number or a function
    app.get("/a", { config: { rateLimit: { limit: "10" } } }, handler);
    // @ts-expect-error a window is a duration
    app.get("/b", { config: { rateLimit: { window: "soon" } } }, handler);
    // @ts-expect-error an answer is true or false
    app.get("/c", { config: { rateLimit: { skip: () => "yes" } } }, handler);
  });

  it("stands beside what other plugins put there", () => {
    app.get("/", { config: { rateLimit: { limit: 1 }, audit: "full", swagger: true } }, handler);
    expectTypeOf<FastifyContextConfig["rateLimit"]>().toEqualTypeOf<RouteRateLimit | undefined>();
    expectTypeOf<FastifyContextConfig["audit"]>().toEqualTypeOf<"full" | "none" | undefined>();
  });

  it("keeps routes with generics and type providers as they are", () => {
    interface Search {
      Querystring: { q: string };
      Reply: string;
    }
    app.get<Search>("/", { config: { rateLimit: { limit: 1 } } }, async ({ query }) => query.q);
    const typed = app.withTypeProvider<Provider>();
    const schema = { querystring: { type: "object" } };
    typed.get("/", { schema, config: { rateLimit: false } }, async ({ query }) => {
      expectTypeOf(query).toEqualTypeOf<{ type: string }>();
    });
  });
});

describe("B140: limit()", () => {
  it("stands wherever hooks of a request do, on routes of any type", () => {
    const hook = limit({ limit: 1, window: "1m", key: (request) => request.id });
    app.get("/", { onRequest: hook, preValidation: [hook], preHandler: hook }, handler);
    app.addHook("onRequest", hook);
    app.setNotFoundHandler({ preHandler: hook }, (_, reply) => reply.send());
    app.post<{ Body: { email: string } }>(
      "/",
      { preHandler: hook },
      async ({ body }) => body.email,
    );
    const typed = app.withTypeProvider<Provider>();
    const schema = { body: { type: "object" } };
    typed.post("/", { schema, preHandler: hook }, async ({ body }) => body.type);
    expectTypeOf(hook.limiter.peek).returns.resolves.toEqualTypeOf<Decision>();
  });

  it("stands on servers of HTTP/2 as well, and so does usage()", () => {
    const h2 = Fastify({ http2: true });
    const hook = limit({ limit: 1, window: "1m" });
    h2.addHook("onRequest", hook);
    h2.get("/", { onRequest: hook, preHandler: [hook] }, handler);
    h2.get("/usage", h2.rateLimit.usage());
    h2.get("/own", hook.usage());
    app.get<{ Reply: { n: number } }>("/typed", app.rateLimit.usage());
  });

  it("takes functions of requests whose types are known", () => {
    interface Login extends Plain {
      readonly Body: { readonly email: string };
    }
    limit({ limit: 1, window: "1m", key: (request: FastifyRequest<Login>) => request.body.email });
    limit<FastifyRequest<Login>>({
      limit: 1,
      window: "1m",
      key: [join((request: FastifyRequest<Login>) => request.body.email, ip()), ip()],
      cost: ({ body }) => body.email.length,
    });
    // @ts-expect-error a body has no type where none is given
    limit({ limit: 1, window: "1m", key: (request) => request.body.email });
  });

  it("takes lists of policies and of rules from elsewhere", () => {
    const policies: NamedPolicyOptions[] = [{ name: "a", limit: 1, window: "1m" }];
    limit({ policies });
    const rules: RuleOptions[] = [{ name: "b", match: "/b", limit: 1, window: "1m" }];
    app.register(rateLimit, { matching: "first", rules });
  });

  it("refuses what is no option", () => {
    // @ts-expect-error the hook is where it stands
    limit({ limit: 1, window: "1m", hook: "preHandler" });
  });
});

describe("what the plugin leaves", () => {
  it("is typed on the request and the application", () => {
    expectTypeOf<FastifyRequest["rateLimit"]>().toEqualTypeOf<Decision | null>();
    expectTypeOf<FastifyInstance["rateLimit"]>().toEqualTypeOf<RateLimitDecoration>();
    expectTypeOf(rateLimit).toEqualTypeOf<FastifyPluginAsync<FastifyRateLimitOptions>>();
  });
});

interface Provider extends FastifyTypeProvider {
  readonly validator: this["schema"];
  readonly serializer: unknown;
}

declare module "fastify" {
  interface FastifyContextConfig {
    audit?: "full" | "none";
    swagger?: boolean;
  }
}
