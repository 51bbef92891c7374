import type { IncomingMessage } from "node:http";
import express, { type Request, type RequestHandler, type Response, Router } from "express";
import { describe, expectTypeOf, it } from "vitest";
import {
  apiKey,
  type CheckOptions,
  type ConfigError,
  type ConfigIssue,
  type Decision,
  type ExpressRequest,
  ip,
  jwtClaim,
  memoryStore,
  type PolicyOptions,
  type PolicyStatus,
  preflight,
  type RateLimitMiddleware,
  type RateLimitOptions,
  type Refused,
  rateLimit,
  type SharedOptions,
  type Units,
  user,
} from "../src/index.ts";

const limit = rateLimit({ limit: 1, window: "1m" });
const app = express();

describe("B139: the middleware", () => {
  it("is a handler of Express 5, wherever one can stand", () => {
    expectTypeOf(limit).toExtend<RequestHandler>();
    const handlers: RequestHandler[] = [limit];
    const typed: RequestHandler<{ id: string }, { ok: boolean }, { name: string }> = limit;
    app.use(limit);
    app.use("/api", limit, Router().use(limit));
    app.all("/all", handlers);
    app.get("/typed", typed as RequestHandler);
  });

  it("leaves what later handlers know of a route as it is", () => {
    app.get("/u/:id/:post", limit, (req, res) => {
      expectTypeOf(req.params.id).toBeString();
      expectTypeOf(res).toExtend<Response>();
      // @ts-expect-error no parameter of this route
      req.params.nope;
    });
    app.post<{ id: string }, { ok: boolean }, { name: string }>("/u/:id", limit, (req, res) => {
      expectTypeOf(req.body).toEqualTypeOf<{ name: string }>();
      res.json({ ok: true });
    });
  });

  it("has its limiter, and a way for upgrades", () => {
    expectTypeOf(limit).toEqualTypeOf<RateLimitMiddleware>();
    expectTypeOf(limit.limiter.peek("k")).toEqualTypeOf<Promise<Decision>>();
    expectTypeOf(limit.checkUpgrade).toBeCallableWith({} as IncomingMessage, app as never, app);
    expectTypeOf(limit.checkUpgrade).returns.toEqualTypeOf<Promise<boolean>>();
  });
});

describe("the decision on a request", () => {
  it("is typed where handlers find it, and narrows", () => {
    app.get("/", (req) => {
      expectTypeOf(req.rateLimit).toEqualTypeOf<Decision | undefined>();
      if (!req.rateLimit) return;
      if (req.rateLimit.allowed) {
        expectTypeOf(req.rateLimit.reason).toEqualTypeOf<"ok" | "skipped" | "store-unavailable">();
      } else {
        expectTypeOf(req.rateLimit.reason).toEqualTypeOf<
          "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable"
        >();
        expectTypeOf(req.rateLimit.retryAfter).toBeNumber();
      }
      // @ts-expect-error a decision is a snapshot
      req.rateLimit.remaining = 1;
    });
  });
});

describe("B141: options", () => {
  it("take functions of Express's own request, now and later", () => {
    rateLimit({ limit: (req: Request) => (req.get("x-plan") ? 2 : 1), window: "1m" });
    rateLimit({
      limit: async (req: Request) => Number(req.query.limit),
      window: 60_000,
      key: (req) => req.get("x-tenant"),
      cost: async (req) => (req.body as unknown[]).length,
      skip: (req) => req.path === "/health",
      refund: (status, req) => status === 422 && req.method === "POST",
    });
    rateLimit<Request>({ limit: 1, window: "1m", key: async (req) => req.get("x-tenant") ?? null });
  });

  it("take functions of what every Express request has, where none is named", () => {
    rateLimit({
      limit: (req) => {
        expectTypeOf(req).toEqualTypeOf<ExpressRequest>();
        return 1;
      },
      window: "1m",
      key: [apiKey(), jwtClaim("sub"), (req) => req.headers["x-tenant"]?.toString(), ip()],
      skip: preflight,
      onDecision: ({ remaining }, req) => expectTypeOf([remaining, req.path]).toExtend<unknown[]>(),
      body: async (decision, req) => ({ wait: decision.retryAfter, path: req.originalUrl }),
    });
    rateLimit({
      limit: 1,
      window: "1m",
      key: user({ from: (req) => (req.user as { sub: string }).sub }),
    });
    rateLimit({
      limit: 1,
      window: "1m",
      key: apiKey({ header: ["x-key", "authorization"], verify: async (key) => key !== "" }),
    });
  });

  it("take predicates that answer nothing for no", () => {
    type Signed = ExpressRequest & { readonly staff?: boolean | null };
    rateLimit<Signed>({
      matching: "all",
      rules: [
        { name: "a", match: (req) => req.staff, limit: 1, window: "1m" },
        { name: "b", match: { when: async (req) => req.staff }, limit: 1, window: "1m" },
      ],
      allow: [{ when: (req) => req.staff }],
    });
    rateLimit<Signed>({
      limit: 1,
      window: "1m",
      skip: (req) => req.staff,
      refund: (_, req) => req.staff,
    });
  });

  it("name every type that their results have", () => {
    const limit = rateLimit({ limit: 1, window: "1m" });
    expectTypeOf<Parameters<typeof limit.limiter.check>[1]>().toEqualTypeOf<
      CheckOptions | undefined
    >();
    const refused = (decision: Decision): Refused | undefined =>
      decision.allowed ? undefined : decision;
    expectTypeOf(refused).toBeFunction();
    expectTypeOf<ConfigError["issues"][number]>().toEqualTypeOf<ConfigIssue>();
    expectTypeOf<Decision["statuses"][number]>().toEqualTypeOf<PolicyStatus>();
    expectTypeOf<Parameters<Decision["settle"]>[0]>().toEqualTypeOf<Units>();
  });

  it("keep a decision's methods with it", async () => {
    const { settle } = {} as Decision;
    // @ts-expect-error -- it needs its decision
    await settle(1);
  });

  it("take undefined for what is left out, as spread options have it", () => {
    const some: { name?: string | undefined; cost?: number | undefined } = {};
    rateLimit({ ...some, limit: 1, window: "1m", policies: undefined });
    const shared: SharedOptions = { headers: "draft-8", onRefused: (_, req) => req.path };
    const policy: Partial<PolicyOptions> = { key: (req) => req.ip };
    rateLimit({ ...shared, ...policy, limit: 1, window: "1m" });
    rateLimit({ ...shared, policies: [{ ...policy, name: "a", limit: 1, window: "1m" }] });
    const whole: RateLimitOptions = { ...some, limit: 1, window: "1m" };
    rateLimit(whole);
    rateLimit({
      limit: 1,
      window: "1m",
      cost: undefined,
      headers: undefined,
      trustProxy: undefined,
    });
  });

  it("take several policies, each with a name", () => {
    rateLimit({
      policies: [
        { name: "burst", limit: 10, window: "1s" },
        {
          name: "day",
          limit: (req: Request) => Number(req.params.n),
          window: "1d",
          refund: "failed",
        },
      ],
      headers: ["legacy", "draft-8"],
      store: memoryStore(),
    });
    // @ts-expect-error a policy among others needs a name
    rateLimit({ policies: [{ limit: 1, window: "1m" }] });
    // @ts-expect-error a policy is given flat or in a list
    rateLimit({ limit: 1, window: "1m", policies: [{ name: "a", limit: 1, window: "1m" }] });
  });

  it("are nothing else", () => {
    // @ts-expect-error a limit is required
    rateLimit({ window: "1m" });
    // @ts-expect-error a window is required
    rateLimit({ limit: 1 });
    // @ts-expect-error an unknown option
    rateLimit({ limit: 1, window: "1m", max: 5 });
    // @ts-expect-error a window that is no duration
    rateLimit({ limit: 1, window: "1 fortnight" });
    // @ts-expect-error a limit that is no number
    rateLimit({ limit: "5", window: "1m" });
    // @ts-expect-error an unknown algorithm
    rateLimit({ limit: 1, window: "1m", algorithm: "leaky" });
    // @ts-expect-error an unknown style of headers
    rateLimit({ limit: 1, window: "1m", headers: "standard" });
    // @ts-expect-error a key that is no text
    rateLimit({ limit: 1, window: "1m", key: () => 7 });
    // @ts-expect-error B66: an object is no answer to skip
    rateLimit({ limit: 1, window: "1m", skip: (req: Request) => req.res });
    // @ts-expect-error everybody is trusted by the application, not here
    rateLimit({ limit: 1, window: "1m", trustProxy: true });
  });
});
