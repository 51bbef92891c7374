import express, { type Request, type RequestHandler, type Response, Router } from "express4";
import { describe, expectTypeOf, it } from "vitest";
import { type Decision, rateLimit } from "../src/index.ts";

const limit = rateLimit({ limit: 1, window: "1m" });
const app = express();

describe("B139: the middleware", () => {
  it("is a handler of Express 4, wherever one can stand", () => {
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
      expectTypeOf(req.rateLimit).toEqualTypeOf<Decision | undefined>();
      expectTypeOf(res).toExtend<Response>();
      // @ts-expect-error no parameter of this route
      req.params.nope;
    });
  });

  it("charges upgrades by its application", () => {
    expectTypeOf(limit.checkUpgrade).toBeCallableWith({} as Request, app as never, app);
  });
});

describe("B141: options", () => {
  it("take functions of Express 4's own request", () => {
    rateLimit({
      limit: (req: Request) => (req.get("x-plan") ? 2 : 1),
      window: "1m",
      key: async (req) => req.params.id,
      skip: async (req) => req.path === "/health",
    });
    rateLimit<Request>({ limit: 1, window: "1m", cost: (req) => Number(req.query.cost) });
  });
});
