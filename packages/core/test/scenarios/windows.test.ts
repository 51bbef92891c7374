import { afterEach, expect, it } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { limited, times, told } from "./limited.ts";

const day = 86_400_000;
const ownZone = process.env.TZ;

afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
});

it("B92 lets a refusal delay nothing", async () => {
  const { at } = limited({ algorithm: "sliding-log", limit: 10, window: "10s" });
  const statuses = await times(10, (second) => at(second * 1000));
  expect(statuses.map(([status]) => status)).toEqual(Array(10).fill(200));
  expect(await at(9500)).toEqual([429, 0, 1]);
  expect(await at(10_010)).toEqual([200, 0]);
});

it("B93 admits twice the limit across the edge of a fixed window, as is said of it", async () => {
  const { at } = limited({ algorithm: "fixed-window", limit: 10 });
  const passed = await times(20, (i) => at(i < 10 ? 59_000 : 60_600));
  expect(passed.every(([status]) => status === 200)).toBe(true);
});

it("B93 weighs what was before the edge of a sliding window", async () => {
  const { at, limiter } = limited({ algorithm: "sliding-window", limit: 10 });
  await times(10, () => at(59_000));
  const refused = await times(10, () => at(60_600));
  expect(refused).toEqual(Array(10).fill([429, 0, 6]));
  expect((await limiter.peek("key")).retryAfter).toBe(5400);
  expect((await at(66_000))[0]).toBe(200);
});

it("B96 never refuses who stays below the limit", async () => {
  const { at } = limited({ limit: 5 });
  const statuses = await times(20, (i) => at(i * 30_000));
  expect(statuses).toEqual(statuses.map((_, i) => [200, i % 2 === 0 ? 4 : 3]));
});

it("B97 gives each key a window of its own", async () => {
  const { at } = limited({ limit: 1, window: "10s" });
  expect(await at(0, "a")).toEqual([200, 0]);
  expect(await at(7000, "b")).toEqual([200, 0]);
  expect(await at(12_000, "b")).toEqual([429, 0, 5]);
  expect(await at(17_000, "b")).toEqual([200, 0]);
});

it("B100 keeps windows that no timer can hold", async () => {
  const { at } = limited({ limit: 2, window: "30d" });
  expect(await at(0)).toEqual([200, 1]);
  expect(await at(0)).toEqual([200, 0]);
  // The wait for clients is capped at the limit of a 31-bit timer.
  expect(await at(10)).toEqual([429, 0, 2_147_483]);
  expect(await at(3_600_000)).toEqual([429, 0, 2_147_483]);
  expect(await at(25 * day)).toEqual([429, 0, 432_000]);
  expect(await at(30 * day)).toEqual([200, 1]);
  const year = limited({ limit: 1, window: "365d" });
  await year.at(0);
  expect((await year.at(365 * day - 1))[0]).toBe(429);
  expect((await year.at(365 * day))[0]).toBe(200);
});

it.each([1000, 1_000_000_000])(
  "B102 is full and no fuller after years: %d per second",
  async (limit) => {
    const clock = manualClock(0);
    const limiter = createLimiter({
      algorithm: "token-bucket",
      limit,
      burst: 1000,
      window: "1s",
      store: memoryStore({ clock }),
    });
    for (const now of [0, 365 * day, 11 * 365 * day, Number.MAX_SAFE_INTEGER]) {
      clock.set(now);
      expect((await limiter.check("key", { cost: 1000 })).allowed).toBe(true);
      expect(told(await limiter.check("key"))).toEqual([429, 0, 1]);
      expect(await limiter.check("key", { cost: 1001 })).toMatchObject({ retryAfter: Infinity });
    }
  },
);

it.each([1, 100, 1500])("B104 has windows of %d ms", async (window) => {
  const { at } = limited({ limit: 1, window });
  expect(await at(0)).toEqual([200, 0]);
  expect(await at(0)).toEqual([429, 0, Math.ceil(window / 1000)]);
  expect(await at(window - 1, "other")).toEqual([200, 0]);
  expect(await at(window)).toEqual([200, 0]);
});

it("B104 refuses windows that are no whole milliseconds", () => {
  for (const window of [1500.5, "1.0005s", "0.5ms"]) {
    expect(() => limited({ window: window as number })).toThrow(
      /^window: expected whole milliseconds/,
    );
  }
});

it("B105 counts what was earned already, and all of what is missing", async () => {
  const one = limited({ algorithm: "token-bucket", limit: 1, window: "1s" });
  await one.at(0);
  await one.at(200);
  expect((await one.limiter.check("key")).retryAfter).toBe(800);
  const ten = limited({ algorithm: "token-bucket", limit: 10, window: "10s" });
  expect((await ten.limiter.check("key", { cost: 3 })).resetAfter).toBe(3000);
});

it("B106 admits the burst and not one more", async () => {
  const { ask } = limited({ algorithm: "token-bucket", limit: 5 });
  const statuses = await times(7, () => ask());
  const refused = [429, 0, 12];
  expect(statuses).toEqual([[200, 4], [200, 3], [200, 2], [200, 1], [200, 0], refused, refused]);
});

it("B108 measures a day in milliseconds, wherever the process lives", async () => {
  process.env.TZ = "America/New_York";
  expect(new Date(2024, 0, 1).getTimezoneOffset()).toBe(300);
  for (const [first, before, after] of [
    ["2024-11-02T12:00:00Z", "2024-11-03T11:59:59Z", "2024-11-03T12:00:00Z"],
    ["2024-03-09T12:00:00Z", "2024-03-10T11:59:59Z", "2024-03-10T12:00:00Z"],
  ] as const) {
    const { ask, clock } = limited({ limit: 1, window: "24h" });
    clock.set(Date.parse(first));
    expect(await ask()).toEqual([200, 0]);
    clock.set(Date.parse(before));
    expect(await ask()).toEqual([429, 0, 1]);
    clock.set(Date.parse(after));
    expect(await ask()).toEqual([200, 0]);
  }
});

it("B108 asks calendar windows for a zone, and never for more than 25 hours", async () => {
  const { ask, clock, limiter } = limited({
    algorithm: "fixed-window",
    limit: 1,
    window: "day",
    timeZone: "America/New_York",
  });
  clock.set(Date.parse("2024-11-03T04:00:00Z"));
  expect(await ask()).toEqual([200, 0]);
  expect((await limiter.check("key")).retryAfter).toBe(25 * 3_600_000);
  clock.set(Date.parse("2024-11-04T05:00:00Z"));
  expect(await ask()).toEqual([200, 0]);
});
