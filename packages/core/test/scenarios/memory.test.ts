import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { limited, times, told } from "./limited.ts";

type Core = typeof import("../../src/index.ts");

const window = 1000;

beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns a separate copy of the core, with separate timers. */
function copy(): Promise<Core> {
  return import("../../src/index.ts");
}

it("B100 sets no timer for a window, however long", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  const later = vi.spyOn(globalThis, "setTimeout");
  const { createLimiter } = await copy();
  for (const window of ["1s", "30d", "365d"] as const) {
    await createLimiter({ limit: 2, window }).check("key");
  }
  expect(set.mock.calls.map(([, delay]) => delay)).toEqual([1000]);
  expect(later).not.toHaveBeenCalled();
  set.mockRestore();
  later.mockRestore();
});

it("B101 decides by the clock where timers are frozen", async () => {
  vi.stubGlobal("setTimeout", () => ({ unref() {} }));
  vi.stubGlobal("setInterval", () => ({ unref() {} }));
  const { createLimiter, memoryStore } = await copy();
  let now = 0;
  const limiter = createLimiter({
    algorithm: "fixed-window",
    align: "first-request",
    limit: 1,
    window: "5s",
    store: memoryStore({ clock: () => now }),
  });
  const statuses: unknown[] = [];
  for (now of [0, 1000, 6000]) statuses.push(told(await limiter.check("key")));
  expect(statuses).toEqual([
    [200, 0],
    [429, 0, 4],
    [200, 0],
  ]);
});

it("B109 forgets what nobody asks for, by one timer", { timeout: 30_000 }, async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout"] });
  const { memoryStore, createPolicy } = await copy();
  let now = 0;
  let looked = 0;
  const store = memoryStore({ clock: () => now });
  const policy = createPolicy({
    ...{ name: "p", space: "p", algorithm: "fixed-window", limit: 1, window, timeZone: "UTC" },
    ...{ segments: 1, align: "clock", delay: true, shadow: false, countRefused: false },
    onStoreError: "open",
  });
  const { algorithm } = policy;
  const counting = {
    ...policy,
    algorithm: {
      ...algorithm,
      expires(...args: Parameters<typeof algorithm.expires>) {
        looked++;
        return algorithm.expires(...args);
      },
    },
  };
  for (let i = 0; i < 100_000; i++) {
    store.take([{ policy: counting, key: `key ${i}`, cost: 1 }], true);
  }
  expect(store.size).toBe(100_000);
  expect(vi.getTimerCount()).toBe(1);
  now += 3000;
  vi.advanceTimersByTime(60_000);
  // Reading the size visits every key: none is left to visit.
  looked = 0;
  expect(store.size).toBe(0);
  expect(looked).toBe(0);
});

it("B111 keeps few keys, the same one twice first", async () => {
  const { createLimiter, memoryStore } = await copy();
  const store = memoryStore({ maxKeys: 3, clock: () => 0 });
  const limiter = createLimiter({ limit: 9, window: "60s", store });
  for (const key of ["a", "a", "b", "c"]) await limiter.check(key);
  expect((await limiter.peek("a")).remaining).toBe(7);
  for (const key of ["d", "e", "a"]) await limiter.check(key);
  expect((await limiter.peek("a")).remaining).toBe(6);
  for (let i = 0; i < 1000; i++) {
    await limiter.check(`key ${(i * 7919) % 613}`);
    expect(store.size).toBeLessThanOrEqual(3);
  }
});

it("B112 keeps no process alive, and closes twice", async () => {
  const alive = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = alive();
  const { createLimiter, memoryStore } = await copy();
  const limiter = createLimiter({ limit: 5, window: "60s" });
  const store = memoryStore();
  await limiter.check("key");
  await createLimiter({ limit: 5, window: "60s", store }).check("key");
  expect(alive()).toBe(before);
  await limiter.close();
  await limiter.close();
  await store.close?.();
  await store.close?.();
});

it("B114 counts for each process by itself: so many times the limit pass", async () => {
  const workers = [limited({ limit: 3 }), limited({ limit: 3 })];
  const statuses = await times(8, (i) => workers[i % 2]!.ask());
  expect(statuses.filter(([status]) => status === 200)).toHaveLength(6);
});

it("B115 tells errors apart by code, and shares stores, across two copies", async () => {
  const one = await copy();
  vi.resetModules();
  const two = await copy();
  expect(one.RateLimitError).not.toBe(two.RateLimitError);
  const store = one.memoryStore({ clock: () => 0 });
  const options = { name: "shared", limit: 1, window: "60s" } as const;
  await two.createLimiter({ ...options, store }).check("key");
  const limiter = one.createLimiter({ ...options, store });
  const refused = await limiter.checkOrThrow("key").catch((error: unknown) => error);
  expect(refused).not.toBeInstanceOf(two.RateLimitError);
  expect(refused).toMatchObject({ code: "ERR_RATE_LIMITED" });
  const down = { ...store, take: () => Promise.reject(new one.StoreError("down", "why")) };
  const onError = vi.fn();
  await two.createLimiter({ ...options, store: down, onError }).check("key");
  // Recognized by its code, it is passed on unchanged.
  expect(onError.mock.calls).toMatchObject([
    [{ code: "ERR_STORE_UNAVAILABLE", cause: "why" }, undefined],
  ]);
});
