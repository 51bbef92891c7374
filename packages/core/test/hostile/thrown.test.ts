import { describe, expect, it } from "vitest";
import type { Store } from "../../src/index.ts";
import { createLimiter, memoryStore } from "../../src/index.ts";

/** Values that may be thrown and that break code describing them. */
const thrown: Readonly<Record<string, unknown>> = {
  "an object without a prototype": Object.create(null),
  "a symbol": Symbol("thrown"),
  "what refuses to be a string": {
    toString(): string {
      throw new Error("no text");
    },
  },
  "an error named by a symbol": Object.assign(new Error("odd"), { name: Symbol("odd") }),
  "an error that nobody may look at": new Proxy(new Error("shy"), {
    get: () => {
      throw new Error("looked at");
    },
  }),
  "a frozen error": Object.freeze(new Error("frozen")),
  nothing: undefined,
};

const broken = (take: Store["take"]): Store => ({ ...memoryStore(), take });

describe.each(Object.entries(thrown))("%s", (_, value) => {
  const told: unknown[] = [];
  const settings = {
    limit: 5,
    window: "1m",
    onWarning: (w: Error) => told.push(w.message),
  } as const;
  const fail = (): never => {
    throw value;
  };

  it.each([
    ["throws", fail],
    ["rejects with", () => Promise.reject(value)],
  ])("that a hook %s reaches a warning and no request", async (_how, onDecision) => {
    told.length = 0;
    const limiter = createLimiter({ ...settings, onDecision });
    expect((await limiter.check("a")).allowed).toBe(true);
    expect(told).toEqual([expect.stringContaining("set onError")]);
  });

  it("that onError and onWarning throw reaches nobody", async () => {
    const limiter = createLimiter({
      ...settings,
      onDecision: fail,
      onError: fail,
      onWarning: fail,
    });
    expect((await limiter.check("a")).allowed).toBe(true);
  });

  it.each([
    ["throws", fail],
    ["rejects with", () => Promise.reject(value)],
  ])("that a store %s is a store that could not answer", async (_how, take) => {
    const limiter = createLimiter({ ...settings, store: broken(take) });
    expect(await limiter.check("a")).toMatchObject({ allowed: true, reason: "store-unavailable" });
  });
});

describe("a store that answers nonsense", () => {
  it.each([undefined, null, 1, {}, { now: 1, fits: [], states: [] }, Promise.resolve(undefined)])(
    "such as %o could not answer",
    async (answer) => {
      const errors: unknown[] = [];
      const limiter = createLimiter({
        limit: 5,
        window: "1m",
        onStoreError: "closed",
        store: broken(() => answer as never),
        onError: (error) => errors.push(error),
      });
      expect(await limiter.check("a")).toMatchObject({
        allowed: false,
        reason: "store-unavailable",
      });
      expect(errors).toEqual([expect.objectContaining({ code: "ERR_STORE_UNAVAILABLE" })]);
    },
  );
});

describe("options that cannot be shown", () => {
  it.each([
    ["a function named by no text", Object.defineProperty(() => {}, "name", { value: 5 })],
    ["a proxy that was revoked", revoked()],
  ])("are named by the error: %s", (_, segments) => {
    const options = { limit: 5, window: "1m", segments: segments as never } as const;
    expect(() => createLimiter(options)).toThrow(/^segments: expected/);
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
