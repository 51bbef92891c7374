import type { IncomingMessage } from "node:http";
import { expectTypeOf, it } from "vitest";
import type { HttpOptions, Outcomes } from "../../src/http/index.ts";
import { createLimiter, type Decision, type Limiter } from "../../src/index.ts";

const base = { limit: 5, window: "1m" } as const;

it("takes tiers, and sizes that are functions", () => {
  createLimiter({ ...base, tiers: { pro: { limit: 10 }, big: { window: "1h", burst: 5 } } });
  createLimiter({ ...base, tiers: { pro: { limit: async () => 10, window: () => "2m" } } });
  createLimiter({ ...base, tiers: {}, tier: () => undefined });
  createLimiter({ ...base, tiers: {}, tier: async () => "pro" });
  createLimiter({
    limit: 5,
    window: async () => "1h" as const,
    burst: () => 5,
    algorithm: "token-bucket",
  });
  createLimiter({ limit: 5, window: () => "day", algorithm: "fixed-window" });
  // @ts-expect-error a tier only has a limit, a burst and a window
  createLimiter({ ...base, tiers: { pro: { cost: 5 } } });
  // @ts-expect-error the name of a tier is a string
  createLimiter({ ...base, tiers: {}, tier: () => 5 });
  // @ts-expect-error a window without a unit
  createLimiter({ limit: 5, window: () => "60000" });
  createLimiter({ ...base, shadow: true, nearLimit: 0.9, onNearLimit: ({ policy }) => policy });
});

it("lets calls name a tier", () => {
  const limiter = {} as Limiter;
  void limiter.check("key", { tier: "pro" });
  void limiter.peek("key", { tier: null });
  // @ts-expect-error the name of a tier is a string
  void limiter.check("key", { tier: 5 });
});

it("settles decisions by a cost, or by the names of policies", () => {
  const decision = {} as Decision;
  expectTypeOf(decision.settle(5)).toEqualTypeOf<Promise<void>>();
  void decision.settle({ tokens: 812 });
  void ({} as Limiter).settle(decision, { tokens: 812 });
  // @ts-expect-error a cost is a number
  void decision.settle("5");
  // @ts-expect-error a cost is required
  void decision.settle();
});

it("takes outcomes as words, lists and functions of the request", () => {
  type Options = HttpOptions<IncomingMessage>;
  const options: Options[] = [
    { ...base, count: "failed", resetOn: "successful" },
    { ...base, count: [401, "4xx"], resetOn: ["2xx"] },
    { ...base, refund: (status, req) => status === 404 && req.url === "/" },
    { ...base, refund: async (status) => status === 404, unidentified: "skip" },
  ];
  expectTypeOf(options).toExtend<readonly Options[]>();
  // @ts-expect-error no such class
  const wrong: Outcomes<unknown> = ["6xx"];
  // @ts-expect-error a class alone is not a list
  const alone: Outcomes<unknown> = "4xx";
  // @ts-expect-error a request is charged to its address, or not at all
  const unidentified: Options = { ...base, unidentified: "ignore" };
  expectTypeOf([wrong, alone, unidentified]).toBeArray();
});
