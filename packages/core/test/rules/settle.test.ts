import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { Handler } from "../../src/testing/index.ts";
import { bareSite, clock, minute } from "../http-scenarios/bare-site.ts";

const limit = { ...minute, limit: 100, cost: 10 };

/** Creates a route that settles its request with the given function and then responds as given. */
function settling(settle: (decision: Decision) => unknown, answer: Handler = {}): Handler {
  return { ...answer, reached: (decision) => void settle(decision as Decision) };
}

const left = async (site: Awaited<ReturnType<typeof bareSite>>, key = "ip:127.0.0.1") =>
  (await site.limiters[0]!.peek(key)).statuses.map(({ remaining }) => remaining);

describe("a request over HTTP", () => {
  it("is settled before its answer, for less or for more", async () => {
    for (const [actual, remaining] of [
      [4, 96],
      [0, 100],
      [25, 75],
      [1000, 0],
    ] as const) {
      const route = settling((decision) => decision.settle(actual));
      const site = await bareSite(limit, { routes: { "GET /": route } });
      expect((await site.get()).headers["x-ratelimit-remaining"]).toBe("90");
      expect(await left(site)).toEqual([remaining]);
    }
  });

  it("is settled while its answer is streamed, and after it has ended", async () => {
    let decision: Decision | undefined;
    const keep = settling((one) => (decision = one));
    const routes = { "GET /": keep, "GET /open": { ...keep, open: true, body: "data" } };
    const site = await bareSite({ ...limit, refund: "failed" }, { routes });
    const exchange = site.start("/open");
    expect((await exchange.head).statusCode).toBe(200);
    await decision!.settle(33);
    expect(await left(site)).toEqual([67]);
    exchange.leave();
    await exchange.over;
    await site.get("/");
    await decision!.settle(2);
    expect(await left(site)).toEqual([65]);
  });

  it("keeps what it was settled for, whatever the outcome", async () => {
    const route = settling((decision) => decision.settle(7), { status: 500, body: "no" });
    for (const outcome of [{ refund: "failed" }, { count: "successful" }] as const) {
      const site = await bareSite({ ...limit, ...outcome }, { routes: { "GET /": route } });
      await site.get();
      expect(await left(site)).toEqual([93]);
    }
  });

  it("settles one policy, and leaves the outcome to the others", async () => {
    const policies = [
      { ...minute, name: "requests", limit: 10, refund: "failed" },
      { ...minute, name: "tokens", limit: 1000, cost: 100, refund: "failed" },
    ] as const;
    const route = settling((decision) => decision.settle({ tokens: 130 }), {
      status: 500,
      body: "no",
    });
    const site = await bareSite({ policies }, { routes: { "GET /": route } });
    await site.get();
    expect(await left(site)).toEqual([10, 870]);
  });

  it("is given back by its outcome only where nobody settled it before", async () => {
    let decision: Decision | undefined;
    const route = settling((one) => (decision = one), { status: 500, body: "no" });
    const site = await bareSite({ ...limit, refund: "failed" }, { routes: { "GET /": route } });
    await site.get();
    await decision!.settle(50);
    expect(await left(site)).toEqual([100]);
  });

  it("settles the ceiling of an unverified key with its policy", async () => {
    for (const [actual, left] of [
      [1, 27],
      [12, 16],
    ] as const) {
      const route = settling((decision) => decision.settle(actual));
      const site = await bareSite(
        { ...minute, limit: 20, cost: 2, unverifiedCeiling: 30 },
        { routes: { "GET /": route, "GET /look": { reached: (one) => (seen = one as Decision) } } },
      );
      let seen: Decision | undefined;
      await site.get("/", { headers: { "x-api-key": "made up" } });
      await site.get("/look", { headers: { "x-api-key": "another" } });
      expect(seen!.statuses.map(({ remaining }) => remaining)).toEqual([18, left]);
    }
  });

  it("tells onError with the request where the store fails, and nobody else", async () => {
    const told: unknown[] = [];
    const store = { ...memoryStore({ clock }), give: () => Promise.reject(new Error("store")) };
    const route = settling((decision) => decision.settle(1));
    const site = await bareSite(
      { ...limit, store, onError: (error, req) => told.push([error, req.url]) },
      { routes: { "GET /": route } },
    );
    expect((await site.get()).status).toBe(200);
    await setImmediate();
    expect(told).toMatchObject([[{ code: "ERR_STORE_UNAVAILABLE" }, "/"]]);
  });
});
