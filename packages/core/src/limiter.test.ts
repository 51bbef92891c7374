import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, vi } from "vitest";
import { type AlgorithmName, algorithms } from "./algorithms/index.ts";
import { ConfigError, StoreError } from "./errors.ts";
import { createLimiter } from "./limiter.ts";
import { memoryStore } from "./memory-store.ts";
import { RateLimitError } from "./rate-limit-error.ts";
import type { Store } from "./store.ts";
import { manualClock } from "./testing/manual-clock.ts";

const fixed = { algorithm: "fixed-window", window: "1m" } as const;

function limited(limit = 2) {
  const clock = manualClock();
  const store = memoryStore({ clock });
  return { clock, store, limiter: createLimiter({ ...fixed, limit, store }) };
}

/** A store that is down. */
function down(error: unknown = new Error("ECONNREFUSED")): Store {
  return {
    take: () => Promise.reject(error),
    give: () => Promise.reject(error),
    reset: () => Promise.reject(error),
  };
}

describe("check", () => {
  it("charges the options' cost, or the one it is given", async () => {
    const store = memoryStore({ clock: manualClock() });
    const limiter = createLimiter({ ...fixed, limit: 9, cost: 2, store });
    expect((await limiter.check("key")).remaining).toBe(7);
    expect((await limiter.check("key", { cost: 5 })).remaining).toBe(2);
    expect((await limiter.check("key", { cost: undefined })).remaining).toBe(0);
  });

  it("charges each policy that is named its own cost", async () => {
    const policies = [
      { ...fixed, name: "requests", limit: 5 },
      { ...fixed, name: "tokens", limit: 1000, cost: () => 7 },
    ];
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    const left = async () => (await limiter.peek("key")).statuses.map(({ remaining }) => remaining);
    await limiter.check("key", { cost: { tokens: 800 } });
    expect(await left()).toEqual([4, 200]);
    const refused = await limiter.check("key", { cost: { tokens: 201 } });
    expect(refused).toMatchObject({ allowed: false, policy: "tokens" });
    expect(await left()).toEqual([4, 200]);
    expect((await limiter.peek("key", { cost: { tokens: 200 } })).allowed).toBe(true);
    await limiter.check("key", { cost: { requests: 2 } });
    expect(await left()).toEqual([2, 193]);
    await limiter.check("key", { cost: { tokens: 93 }, policy: "tokens" });
    expect(await left()).toEqual([2, 100]);
  });

  it.each<[cost: unknown, message: RegExp, policy?: string]>([
    [{ token: 5 }, /^cost\.token: expected the name of a policy: a, b, received 5 under this name/],
    [{ a: 1, b: -1 }, /^cost\.b: expected a whole number/],
    [{ a: "1" }, /^cost\.a: expected .*Number\(…\)/],
    [{ a: undefined }, /^cost\.a: expected .* received undefined/],
    [{ b: 1 }, /^cost\.b: expected the name of a policy: a, received/, "a"],
    [{}, /^cost: expected .* or one for each policy by its name, received an object/],
    [[1], /^cost: expected .* received an array of 1/],
  ])("refuses %j as costs, and charges nothing", async (cost, message, policy) => {
    const policies = ["a", "b"].map((name) => ({ ...fixed, name, limit: 5 }));
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    const asked = limiter.check("key", { cost: cost as number, policy });
    await expect(asked).rejects.toThrow(message);
    expect((await limiter.peek("key")).statuses.every((s) => s.remaining === 5)).toBe(true);
  });

  it("asks only the policy that it is told", async () => {
    const policies = [
      { ...fixed, name: "a", limit: 5 },
      { ...fixed, name: "b", limit: 5 },
    ];
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    expect((await limiter.check("key", { policy: "b" })).statuses).toMatchObject([{ policy: "b" }]);
    const { statuses } = await limiter.peek("key");
    expect(statuses.map(({ remaining }) => remaining)).toEqual([5, 4]);
    await limiter.reset("key", { policy: "a" });
    await limiter.check("key", { policy: "a" });
    await limiter.reset("key", { policy: "b" });
    const left = (await limiter.peek("key")).statuses.map(({ remaining }) => remaining);
    expect(left).toEqual([4, 5]);
  });

  it.each(["c", "", "__proto__", "toString", 5, null])("refuses %s as a policy", async (policy) => {
    const { limiter } = limited();
    const options = { policy } as { policy: string };
    await expect(limiter.check("key", options)).rejects.toThrow(
      /^policy: expected the name of a policy: default, received/,
    );
    await expect(limiter.reset("key", options)).rejects.toThrow(ConfigError);
  });

  it.each([-1, 1.5, Number.NaN, Infinity, "2", null, {}, 2 ** 53])(
    "refuses a cost of %s, and charges nothing",
    async (cost) => {
      const { limiter } = limited();
      for (const ask of [limiter.check, limiter.checkOrThrow, limiter.peek]) {
        const asked = ask("key", { cost: cost as number });
        await expect(asked).rejects.toThrow(/^cost: expected a whole number from 0 to 2\^53 - 1/);
      }
      expect((await limiter.peek("key")).remaining).toBe(2);
    },
  );

  it("takes what is undefined for left out, under whatever name", async () => {
    const limiter = createLimiter({ ...fixed, limit: 5 });
    const options = { cots: undefined, policy: undefined, tier: undefined } as object;
    expect((await limiter.check("key", options)).remaining).toBe(4);
    expect((await limiter.peek("key", options)).remaining).toBe(4);
    await limiter.reset("key", options);
    expect((await limiter.peek("key")).remaining).toBe(5);
    const misspelt = limiter.check("key", { cots: 2 } as object);
    await expect(misspelt).rejects.toThrow("cots: expected a known option: cost, policy or tier");
  });

  it.each([undefined, null, "", 5, {}, ["key"]])("refuses %o as a key", async (key) => {
    const { limiter } = limited();
    for (const ask of [limiter.check, limiter.checkOrThrow, limiter.peek, limiter.reset]) {
      await expect(ask(key as string)).rejects.toThrow(/^key: expected a non-empty string/);
    }
  });

  it("asks functions of the options each time", async () => {
    let limit = 3;
    const store = memoryStore({ clock: manualClock() });
    const options = { ...fixed, limit: async () => limit, cost: () => 2, skip: () => limit === 7 };
    const limiter = createLimiter({ ...options, store });
    expect(await limiter.check("key")).toMatchObject({ limit: 3, remaining: 1 });
    limit = 7;
    expect(await limiter.check("key")).toMatchObject({ reason: "skipped", allowed: true });
    limit = 5;
    expect(await limiter.check("key")).toMatchObject({ limit: 5, remaining: 1 });
  });

  it("leaves out the policies that are skipped, also where others are asked later", async () => {
    const policies = [
      { ...fixed, name: "a", limit: 5, skip: async () => true },
      { ...fixed, name: "b", limit: async () => 5 },
      { ...fixed, name: "c", limit: 5, skip: () => true },
    ];
    const limiter = createLimiter({ policies, store: memoryStore() });
    expect((await limiter.check("key")).statuses.map(({ policy }) => policy)).toEqual(["b"]);
  });

  it("rejects with what a function of the options threw or rejected with", async () => {
    for (const fail of [() => Promise.reject(new Error("no plan")), throws]) {
      for (const options of [{ limit: fail }, { limit: 5, cost: fail }, { limit: 5, skip: fail }]) {
        const limiter = createLimiter({ ...fixed, ...options });
        await expect(limiter.check("key")).rejects.toThrow("no plan");
      }
    }
    function throws(): never {
      throw new Error("no plan");
    }
  });
});

describe("checkOrThrow", () => {
  it("answers what check answers, or rejects with the refusal", async () => {
    const { limiter, clock } = limited(1);
    expect(await limiter.checkOrThrow("key")).toMatchObject({ allowed: true, remaining: 0 });
    clock.advance(20_000);
    const error = await limiter.checkOrThrow("key").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      code: "ERR_RATE_LIMITED",
      status: 429,
      message: "Rate limit exceeded. Retry in 40000 milliseconds.",
      retryAfter: 40_000,
      decision: { allowed: false, policy: "default" },
    });
    await expect(limiter.checkOrThrow("key", { cost: 2 })).rejects.toThrow(
      "Rate limit exceeded: the cost is above what policy default can ever admit.",
    );
  });

  it("rejects with what the store met only where it fails closed", async () => {
    const cause = new Error("ECONNREFUSED");
    const closed = createLimiter({
      ...fixed,
      limit: 1,
      store: down(cause),
      onStoreError: "closed",
      onError: () => undefined,
    });
    const error = await closed.checkOrThrow("key").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: "ERR_STORE_UNAVAILABLE", cause });
    const open = createLimiter({ ...fixed, limit: 1, store: down(), onError: () => undefined });
    expect(await open.checkOrThrow("key")).toMatchObject({
      allowed: true,
      reason: "store-unavailable",
    });
  });
});

describe("give", () => {
  it("gives back once what a decision took", async () => {
    const { limiter } = limited(5);
    const decision = await limiter.check("key", { cost: 3 });
    await limiter.check("key");
    await Promise.all([limiter.give(decision), limiter.give(decision)]);
    await limiter.give(decision);
    expect((await limiter.peek("key")).remaining).toBe(4);
  });

  it("gives nothing for a refusal, a look, or what only looks like a decision", async () => {
    const { limiter } = limited(2);
    const taken = await limiter.check("key", { cost: 2 });
    const refused = await limiter.check("key");
    for (const decision of [refused, await limiter.peek("key"), { ...taken }]) {
      await limiter.give(decision as typeof taken);
    }
    expect((await limiter.peek("key")).remaining).toBe(0);
  });

  it.each(Object.keys(algorithms) as AlgorithmName[])(
    "takes what it gives back off the limit, where more was charged: %s",
    async (algorithm) => {
      const store = memoryStore({ clock: manualClock() });
      const limiter = createLimiter({ algorithm, limit: 10, window: "1m", store });
      const first = await limiter.check("key", { cost: 8 });
      await (await limiter.check("key", { cost: 2 })).settle(6);
      await limiter.give(first);
      expect((await limiter.peek("key")).remaining).toBe(8);
    },
  );

  it("gives back all policies' charges, and not those that only reported", async () => {
    const policies = [
      { ...fixed, name: "a", limit: 5 },
      { ...fixed, name: "b", limit: 1, shadow: true },
    ];
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    await limiter.check("key");
    const decision = await limiter.check("key");
    await limiter.give(decision);
    const left = (await limiter.peek("key")).statuses.map(({ remaining }) => remaining);
    expect(left).toEqual([4, 0]);
  });
});

describe("a store that fails", () => {
  it("lets pass or refuses as each policy says, and tells onError", async () => {
    const onError = vi.fn();
    const ask = (onStoreError: "open" | "closed") =>
      createLimiter({ ...fixed, limit: 5, store: down(), onStoreError, onError }).check("key");
    expect(await ask("open")).toMatchObject({ allowed: true, reason: "store-unavailable" });
    const closed = await ask("closed");
    expect(closed).toMatchObject({ allowed: false, reason: "store-unavailable", degraded: true });
    expect(closed).toMatchObject({ retryAfter: 0, statuses: [], key: "key", limit: 5 });
    expect(onError).toHaveBeenCalledTimes(2);
    expect(onError.mock.calls[0]).toMatchObject([{ code: "ERR_STORE_UNAVAILABLE" }, undefined]);
    const mixed = createLimiter({
      policies: [
        { ...fixed, name: "a", limit: 1 },
        { ...fixed, name: "b", limit: 2, onStoreError: "closed" },
      ],
      store: down(),
      onError,
    });
    expect(await mixed.check("key")).toMatchObject({ allowed: false, policy: "b" });
    expect(await mixed.check("key", { policy: "a" })).toMatchObject({ allowed: true, policy: "a" });
  });

  it("may throw in place of rejecting", async () => {
    const onError = vi.fn();
    const store: Store = {
      ...down(),
      take() {
        throw new StoreError("no", "why");
      },
    };
    const limiter = createLimiter({ ...fixed, limit: 5, store, onError });
    expect(await limiter.check("key")).toMatchObject({ reason: "store-unavailable" });
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ cause: "why" }), undefined);
  });

  it("is said once by a warning where nobody set onError", async () => {
    const onWarning = vi.fn();
    const limiter = createLimiter({ ...fixed, limit: 5, store: down(), onWarning });
    await limiter.check("key");
    await limiter.check("key");
    expect(onWarning).toHaveBeenCalledTimes(1);
    expect(onWarning.mock.calls[0]![0]).toMatchObject({
      code: "SPILLWAY_ERROR",
      name: "SpillwayWarning",
      message: expect.stringContaining("StoreError: The store could not answer"),
    });
  });

  it("rejects a reset and a give, which have no other answer", async () => {
    const limiter = createLimiter({ ...fixed, limit: 5, store: down() });
    const failure = {
      code: "ERR_STORE_UNAVAILABLE",
      cause: { message: expect.stringContaining("ECONNREFUSED") },
    };
    await expect(limiter.reset("key")).rejects.toMatchObject(failure);
    const store = { ...memoryStore(), give: down().give };
    const giving = createLimiter({ ...fixed, limit: 5, store });
    await expect(giving.give(await giving.check("key"))).rejects.toMatchObject(failure);
  });
});

describe("hooks", () => {
  it("are told of decisions and of refusals, but not of looks", async () => {
    const onDecision = vi.fn();
    const onRefused = vi.fn();
    const limiter = createLimiter({ ...fixed, limit: 1, onDecision, onRefused });
    const allowed = await limiter.check("key");
    await limiter.peek("key");
    const refused = await limiter.check("key");
    expect(onDecision.mock.calls).toEqual([
      [allowed, undefined],
      [refused, undefined],
    ]);
    expect(onRefused.mock.calls).toEqual([[refused, undefined]]);
  });

  it("are told of no look at a request that is exempt", async () => {
    const onDecision = vi.fn();
    const limiter = createLimiter({ ...fixed, limit: 1, onDecision, skip: () => true });
    expect((await limiter.peek("key")).reason).toBe("skipped");
    expect(onDecision).not.toHaveBeenCalled();
    await limiter.check("key");
    expect(onDecision).toHaveBeenCalledOnce();
  });

  it("reach no request with what they throw, and onError with it", async () => {
    const onError = vi.fn(() => {
      throw new Error("even this");
    });
    const limiter = createLimiter({
      ...fixed,
      limit: 0,
      onDecision: () => {
        throw new Error("broken");
      },
      onRefused: () => Promise.reject(new Error("late")),
      onError,
    });
    expect((await limiter.check("key")).allowed).toBe(false);
    await new Promise(setImmediate);
    const told = onError.mock.calls as unknown as [Error][];
    expect(told.map(([error]) => error.message)).toEqual(["broken", "late"]);
  });

  it("have a channel beside them", async () => {
    const heard = vi.fn();
    subscribe("spillway:decision", heard);
    const { limiter } = limited();
    const decision = await limiter.check("key");
    unsubscribe("spillway:decision", heard);
    await limiter.check("key");
    expect(heard.mock.calls.map(([message]) => message)).toEqual([{ decision, req: undefined }]);
  });
});

describe("close", () => {
  it("closes a store of its own, twice if asked, and leaves one that was passed in open", async () => {
    const close = vi.fn();
    const store = { ...memoryStore(), close };
    const limiter = createLimiter({ ...fixed, limit: 5, store });
    await limiter.close();
    expect(close).not.toHaveBeenCalled();
    const own = createLimiter({ ...fixed, limit: 1 });
    await own.check("key");
    await own.close();
    await own.close();
    expect((await own.check("key")).allowed).toBe(true);
  });
});

describe("limiters on one store", () => {
  it("share what they name alike, and nothing else", async () => {
    const store = memoryStore({ clock: manualClock() });
    const make = (name: string | undefined, limit: number) =>
      createLimiter({ ...fixed, name, limit, store });
    const [one, same, other] = [make("login", 5), make("login", 5), make("signup", 5)];
    await one.check("key");
    expect((await same.check("key")).remaining).toBe(3);
    expect((await other.check("key")).remaining).toBe(4);
    const [unnamed, another] = [make(undefined, 5), make(undefined, 6)];
    await unnamed.check("key");
    expect((await another.check("key")).remaining).toBe(5);
  });

  it("have stores of their own where none is passed in", async () => {
    const [one, other] = [
      createLimiter({ ...fixed, limit: 1 }),
      createLimiter({ ...fixed, limit: 1 }),
    ];
    await one.check("key");
    expect((await other.check("key")).allowed).toBe(true);
  });
});
