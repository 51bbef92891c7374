import { describe, expect, it } from "vitest";
import { createGuard, type HttpOptions, sendRefusal } from "../../src/http/index.ts";
import { createLimiter, memoryStore } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { listen } from "./listen.ts";

/** The minimum that `await` accepts: `then` returns no promise, and requires both functions. */
function thenable<T>(value: T): PromiseLike<T> {
  const then = (fulfilled: (value: T) => unknown, rejected: unknown): void => {
    if (typeof rejected !== "function") throw new Error("wants both");
    setImmediate(() => fulfilled(value));
  };
  // biome-ignore lint/suspicious/noThenProperty: what these tests are about
  return Object.defineProperty({}, "then", { value: then }) as PromiseLike<T>;
}

describe("a thenable that is no promise", () => {
  const common = { limit: 1, window: "1m" } as const;

  it.each<[string, Partial<HttpOptions<BareRequest>>]>([
    ["key", { key: () => thenable("a") as never }],
    ["limit", { limit: () => thenable(1) as never }],
    ["cost", { cost: () => thenable(1) as never }],
    ["skip", { skip: () => thenable(false) as never }],
    ["body", { body: () => thenable("later") }],
    ["onDecision", { onDecision: () => thenable(1) }],
  ])("is waited for where %s answers it", async (_, given) => {
    const errors: unknown[] = [];
    const guard = createGuard(bareFramework(), {
      ...common,
      store: memoryStore({ clock: manualClock() }),
      onError: (error) => errors.push(error),
      ...given,
    } as HttpOptions<BareRequest>);
    const site = await listen(async (req, res) => {
      const verdict = await guard.admit(req);
      if (verdict.kind === "refuse") return sendRefusal(res, verdict);
      res.end();
    });
    expect([(await site.get()).status, (await site.get()).status]).toEqual([200, 429]);
    expect(errors).toEqual([]);
  });

  it("is waited for where a store answers it", async () => {
    const store = memoryStore({ clock: manualClock() });
    const take: typeof store.take = (...args) => thenable(store.take(...args)) as never;
    const limiter = createLimiter({ ...common, store: { ...store, take } });
    expect([await limiter.check("a"), await limiter.check("a")]).toMatchObject([
      { allowed: true },
      { allowed: false, reason: "limited" },
    ]);
  });
});
