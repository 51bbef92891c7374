import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";

describe("watchConstruction", () => {
  let watchConstruction: typeof import("./construction.ts").watchConstruction;
  let codes: string[];

  beforeEach(async () => {
    // It warns once per process.
    vi.resetModules();
    ({ watchConstruction } = await import("./construction.ts"));
    codes = [];
  });

  const make = (options: object = { limit: 1, window: "1m" }) =>
    watchConstruction(options, (code) => codes.push(code));
  const times = (n: number, act: (i: number) => void): void => {
    for (let i = 0; i < n; i++) act(i);
  };

  it("warns once of limiters that are made for one request each", () => {
    times(20, () => make()());
    expect(codes).toEqual(["SPILLWAY_LIMITER_PER_REQUEST"]);
  });

  it("waits for some of them", () => {
    times(5, () => make()());
    expect(codes).toEqual([]);
    make()();
    expect(codes).toHaveLength(1);
  });

  it("finds nothing in limiters that serve many requests each", () => {
    times(20, () => {
      const note = make();
      times(3, note);
    });
    expect(codes).toEqual([]);
  });

  it("finds nothing in many limiters that are made before the first request", () => {
    const notes = Array.from({ length: 20 }, () => make());
    for (const note of notes) note();
    expect(codes).toEqual([]);
  });

  it("finds nothing in applications of a single request each, as suites of tests make them", async () => {
    for (let i = 0; i < 20; i++) {
      const note = make();
      await setImmediate();
      note();
    }
    expect(codes).toEqual([]);
  });

  it("finds nothing in limiters of different settings", () => {
    times(20, (i) => make({ limit: i, window: "1m" })());
    expect(codes).toEqual([]);
  });

  it("finds nothing where a store is given, which outlives them", () => {
    times(20, () => make({ limit: 1, window: "1m", store: {} })());
    expect(codes).toEqual([]);
  });

  it("reads nothing of what it cannot know", () => {
    const circular: { readonly verify: () => boolean; own?: unknown } = { verify: () => true };
    circular.own = circular;
    const unreadable = {
      get secret(): never {
        throw new Error("read");
      },
    };
    const options = { limit: 1, window: "1m", key: circular, deny: [7n, unreadable] };
    times(6, () => make(options)());
    expect(codes).toHaveLength(1);
  });

  it("reads options with functions, and forgets old ones", () => {
    times(20, () => make({ limit: 1, window: "1m", key: () => "a" })());
    expect(codes).toHaveLength(1);
    times(2500, (i) => make({ limit: 1, window: i })());
    expect(codes).toHaveLength(1);
  });
});
