import { expect, it } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { Charge, Store } from "../../src/store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { limited, times, told } from "./limited.ts";

const first = { algorithm: "fixed-window", align: "first-request" } as const;

it("B14 and B16 tell keys apart by all of their text, and hide what is not printable", async () => {
  const { ask } = limited({ limit: 1 });
  const pairs = ["a:b|c", "a|b:c", "x|", "x", "tenant_live_aaaaaaaa", "tenant_live_bbbbbbbb"];
  const odd = ["a\nb", "a\r\nb", "a b", "a\0b", "a%0Ab", "a%b"];
  for (const key of [...pairs, ...odd]) expect(await ask(key)).toEqual([200, 0]);
  for (const key of [...pairs, ...odd]) expect(await ask(key)).toEqual([429, 0, 60]);
});

it("B15 keeps no long key, and cuts none", async () => {
  const clock = manualClock();
  const seen: Charge[] = [];
  const memory = memoryStore({ clock });
  const store: Store = {
    ...memory,
    take(charges, keep) {
      seen.push(...charges);
      return memory.take(charges, keep);
    },
  };
  const limiter = createLimiter({ ...first, limit: 1, window: "60s", store });
  const text = "k".repeat(65_535);
  const keys = [`${text}a`, `${text}b`, ...Array.from({ length: 1000 }, (_, i) => text + i)];
  for (const key of keys) expect((await limiter.check(key)).allowed).toBe(true);
  for (const key of keys.slice(0, 2)) expect((await limiter.check(key)).allowed).toBe(false);
  expect(Math.max(...seen.map(({ key }) => key.length))).toBeLessThan(201);
});

it("B17 counts keys that are names on Object.prototype", async () => {
  const { limiter, ask } = limited({ limit: 2 });
  const names = Object.getOwnPropertyNames(Object.prototype);
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    expect(await times(3, () => ask(key))).toEqual([
      [200, 1],
      [200, 0],
      [429, 0, 60],
    ]);
    await expect(limiter.check("key", { policy: key })).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
  }
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
});

it("B28 keeps two unnamed limiters on one store apart", async () => {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const users = createLimiter({ ...first, limit: 100, window: "30s", store });
  const purchases = createLimiter({ ...first, limit: 1, window: "1s", store });
  expect(await purchases.check("ip")).toMatchObject({ remaining: 0, resetAfter: 1000 });
  clock.advance(100);
  expect(await users.check("ip")).toMatchObject({ remaining: 99, resetAfter: 30_000 });
  clock.advance(3000);
  const last = await purchases.check("ip");
  expect(last).toMatchObject({ allowed: true, remaining: 0, resetAfter: 1000 });
});

it("B29 keeps the windows of two limiters on one store apart", async () => {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const a = createLimiter({ ...first, limit: 1, window: "1s", store });
  const b = createLimiter({ ...first, limit: 1, window: "60s", store });
  await a.check("ip");
  await b.check("ip");
  clock.advance(2000);
  expect(told(await a.check("ip"))).toEqual([200, 0]);
  expect(told(await b.check("ip"))).toEqual([429, 0, 58]);
});

it("B37 counts each of several policies once", async () => {
  const clock = manualClock();
  const policies = [
    { ...first, name: "minute", limit: 20, window: "1m" },
    { ...first, name: "ten minutes", limit: 200, window: "10m" },
    { ...first, name: "hour", limit: 1200, window: "1h" },
    { ...first, name: "day", limit: 5000, window: "1d" },
  ] as const;
  const limiter = createLimiter({ policies, store: memoryStore({ clock }) });
  const decisions = await times(21, () => limiter.check("client"));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(20);
  expect(decisions[20]).toMatchObject({ policy: "minute", retryAfter: 60_000 });
  expect(decisions[20]!.statuses.map(({ remaining }) => remaining)).toEqual([0, 180, 1180, 4980]);
});
