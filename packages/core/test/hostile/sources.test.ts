import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type HttpOptions } from "../../src/http/index.ts";
import { memoryStore } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { requestOf } from "../http-scenarios/requests.ts";

type Listener = (next: unknown) => void;

const first = { limit: 5, window: "1m" };

function guardBy(subscribe: (listener: Listener) => unknown, more: object = {}) {
  const source = { current: first, subscribe, close: () => {} };
  const store = memoryStore({ clock: manualClock() });
  const given = { store, source, onWarning: () => {}, ...more };
  return createGuard(bareFramework(), given as unknown as HttpOptions<BareRequest>);
}

async function limitBy(guard: Guard<BareRequest>): Promise<number> {
  return (await guard.admit(requestOf())).decision!.limit;
}

describe("a source", () => {
  it("that publishes while somebody subscribes is heard", async () => {
    const guard = guardBy((listener) => {
      listener({ limit: 3, window: "1m" });
      return () => {};
    });
    expect(await limitBy(guard)).toBe(3);
  });

  it("that says nothing of how to stop is closed all the same", async () => {
    const guard = guardBy(() => undefined);
    await guard.limiter.close();
    await guard.limiter.close();
    expect(await limitBy(guard)).toBe(5);
  });

  it("that provides nonsense changes nothing, is told of, and is not thrown at", async () => {
    let publish: Listener = () => {};
    const told: unknown[] = [];
    const subscribe = (listener: Listener): (() => void) => {
      publish = listener;
      return () => {};
    };
    const onError = (error: unknown): void => {
      told.push((error as { code?: unknown }).code);
      throw error;
    };
    const guard = guardBy(subscribe, { onError });
    const nonsense = [null, undefined, 5, "abc", [], [first], () => first, {}, { rules: [] }];
    for (const one of nonsense) publish(one);
    expect(told).toEqual(nonsense.map(() => "ERR_INVALID_CONFIG"));
    expect(await limitBy(guard)).toBe(5);
  });
});

describe("usage", () => {
  it.each(["token-bucket", "leaky-bucket"] as const)(
    "of a %s that holds less than the limit is what is missing in it",
    async (algorithm) => {
      const store = memoryStore({ clock: manualClock() });
      const options = { limit: 100, window: "1m", burst: 10, algorithm, delay: undefined, store };
      const guard = createGuard(bareFramework(), options as HttpOptions<BareRequest>);
      expect((await guard.usage(requestOf()))!.policies[0]).toMatchObject({ used: 0 });
      await guard.limiter.check("ip:127.0.0.1", { cost: 4 });
      expect((await guard.usage(requestOf()))!.policies[0]).toMatchObject({
        used: 4,
        remaining: 6,
      });
    },
  );
});
