import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type HttpOptions, sendRefusal } from "../../src/http/index.ts";
import { createLimiter, type Decision, memoryStore, type Store } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { listen } from "./listen.ts";

const clock = manualClock();
const limiterOn = (store: Store) => createLimiter({ limit: 5, window: "1m", name: "same", store });

describe("a decision that is given back", () => {
  it("is so once, by whichever limiter on the store", async () => {
    const store = memoryStore({ clock });
    const [one, other] = [limiterOn(store), limiterOn(store)];
    for (let i = 0; i < 2; i++) await one.check("a");
    const decision = await one.check("a");
    await Promise.all([one.give(decision), one.give(decision), other.give(decision)]);
    await other.give(decision);
    expect((await one.peek("a")).remaining).toBe(3);
  });

  it("gives nothing of another limiter's store back", async () => {
    const [one, other] = [memoryStore({ clock }), memoryStore({ clock })].map(limiterOn) as [
      ReturnType<typeof limiterOn>,
      ReturnType<typeof limiterOn>,
    ];
    const decision = await one.check("a");
    await other.check("a");
    await other.give(decision);
    expect((await other.peek("a")).remaining).toBe(4);
    await one.give(decision);
    expect((await one.peek("a")).remaining).toBe(5);
  });

  it("is known to its limiter by any limit that a function answered", async () => {
    let limit = 5;
    const limiter = createLimiter({
      limit: () => limit,
      window: "1m",
      store: memoryStore({ clock }),
    });
    const decision = await limiter.check("a");
    limit = 7;
    await limiter.give(decision);
    expect((await limiter.peek("a")).remaining).toBe(7);
  });

  it("by hand in the handler is not given back once more by the outcome", async () => {
    const guard: Guard<BareRequest> = createGuard(bareFramework(), {
      limit: 3,
      window: "1m",
      key: () => "a",
      refund: "failed",
      store: memoryStore({ clock }),
    } as HttpOptions<BareRequest>);
    let close = (): void => {};
    const site = await listen(async (req, res) => {
      const verdict = await guard.admit(req);
      if (verdict.kind === "refuse") return sendRefusal(res, verdict);
      if (req.headers["x-fail"]) {
        await guard.limiter.give((verdict as { decision: Decision }).decision);
        res.statusCode = 500;
        res.once("close", () => close());
      }
      res.end();
    });
    await site.get();
    const over = new Promise<void>((resolve) => {
      close = resolve;
    });
    await site.get({ "x-fail": "1" });
    await over;
    expect((await guard.limiter.peek("a")).remaining).toBe(2);
  });
});
