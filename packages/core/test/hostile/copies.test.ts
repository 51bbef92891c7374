import { describe, expect, it, vi } from "vitest";
import * as core from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

describe("two copies of the package", async () => {
  vi.resetModules();
  const copy = (await import("../../src/index.ts")) as typeof core;

  it("are two", () => {
    expect(copy.createLimiter).not.toBe(core.createLimiter);
  });

  it("tell unnamed policies on one store apart as one copy does", async () => {
    const store = core.memoryStore({ clock: manualClock() });
    const one = core.createLimiter({ limit: 100, window: "1m", store });
    const other = copy.createLimiter({ limit: 5, window: "15m", store });
    for (let i = 0; i < 6; i++) await one.check("a");
    expect(await other.check("a")).toMatchObject({ allowed: true, remaining: 4 });
  });

  it("let unnamed policies with the same settings on one store share, as one copy does", async () => {
    const store = core.memoryStore({ clock: manualClock() });
    const settings = { limit: 2, window: "1m", store } as const;
    await core.createLimiter(settings).check("a");
    expect(await copy.createLimiter(settings).check("a")).toMatchObject({ remaining: 0 });
  });

  it("know each other's errors by their code", async () => {
    const limiter = copy.createLimiter({ limit: 0, window: "1m" });
    const error: unknown = await limiter.checkOrThrow("a").catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(core.RateLimitError);
    expect(error).toMatchObject({ code: "ERR_RATE_LIMITED", status: 429 });
  });
});
