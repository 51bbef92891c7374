import { StoreError } from "@spillway/core";
import { type RedisClient, redisStore } from "@spillway/redis";
import { afterEach, expect, test, vi } from "vitest";
import { policyOf } from "../support/policy.ts";

const deadline = 100;
const noScript = new Error("NOSCRIPT No matching script.");
const readOnly = new Error("READONLY You can't write against a read only replica.");
const charge = { policy: policyOf(), key: "k", cost: 1 };

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a store on a custom client whose calls do as given, and counts them. */
function storeOn(evalsha: () => Promise<unknown>, byText = evalsha, more: object = {}) {
  // What is queued and what arrives late go by the event loop.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const calls = { evalsha: vi.fn(evalsha), eval: vi.fn(byText) };
  const client: RedisClient = Object.defineProperties(
    calls,
    Object.getOwnPropertyDescriptors(more),
  );
  const store = redisStore(client, { deadline });
  return { calls, take: () => store.take([charge], true) };
}

function thrown(error: Error): () => never {
  return () => {
    throw error;
  };
}

const rejected = (error: Error) => () => Promise.reject(error);

test.each([
  ["throws", thrown(new Error("broken")), undefined],
  ["rejects", rejected(new Error("broken")), undefined],
  ["rejects with no error", () => Promise.reject("broken"), undefined],
  ["rejects with a list of errors", rejected(new AggregateError([new Error("broken")])), undefined],
  ["throws when sent the text", rejected(noScript), thrown(new Error("broken"))],
  ["rejects the text too", thrown(noScript), rejected(new Error("broken"))],
])("a client that %s fails the call, and nothing else", async (_, evalsha, byText) => {
  const { take } = storeOn(evalsha, byText);
  for (let i = 0; i < 200; i++) {
    const error: unknown = await take().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StoreError);
    expect((error as Error).message).toBe("Redis could not answer: broken");
  }
  expect(vi.getTimerCount()).toBe(0);
});

const unreadable = Object.defineProperty(new Error(), "message", {
  get: thrown(new Error("no message")),
});

test.each<[string, () => Promise<unknown>, (() => Promise<unknown>)?]>([
  ["rejects with what has no text", () => Promise.reject(Object.create(null))],
  ["rejects with a message that throws", () => Promise.reject(unreadable)],
  ["throws such an error", thrown(unreadable)],
  ["throws it when sent the text", rejected(noScript), thrown(unreadable)],
])("a client that %s fails each call at once, and may recover", async (_, evalsha, byText) => {
  let broken = true;
  const { calls, take } = storeOn(
    () => (broken ? evalsha() : Promise.reject(new Error("well"))),
    byText,
  );
  for (let i = 0; i < 100; i++) await expect(take()).rejects.toThrow("cannot be shown");
  vi.advanceTimersByTime(10 * deadline);
  broken = false;
  const { length } = calls.evalsha.mock.calls;
  await expect(take()).rejects.toThrow("well");
  expect(calls.evalsha).toHaveBeenCalledTimes(length + 1);
});

const gone = thrown(new Error("shut down"));

test.each([
  ["whose state cannot be read", Object.defineProperty({}, "status", { get: gone })],
  ["that cannot be listened to", { status: "connecting", on: gone }],
  ["that cannot be connected", { status: "wait", connect: gone }],
])("a client %s fails all calls of a turn at once", async (_, more) => {
  const { take } = storeOn(async () => [], undefined, more);
  const answers = await Promise.allSettled(Array.from({ length: 20 }, take));
  for (const answer of answers) {
    const { reason } = answer as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(StoreError);
    expect((reason as Error).message).toBe("Redis cannot be reached: shut down");
  }
  expect(vi.getTimerCount()).toBe(0);
});

test("a call that is never in time is sent twice, and leaves no timer", async () => {
  const { calls, take } = storeOn(async () => [Date.now() + 3_600_000]);
  await expect(take()).rejects.toThrow(
    "Redis received the call after its deadline and did nothing",
  );
  expect(calls.evalsha).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("a call is not sent again once its waiter has gone", async () => {
  let answer = (_: unknown): void => {};
  const { calls, take } = storeOn(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const taken = expect(take()).rejects.toThrow(`Redis did not answer within ${deadline} ms`);
  await vi.waitFor(() => expect(calls.evalsha).toHaveBeenCalled());
  vi.advanceTimersByTime(deadline);
  await taken;
  answer([Date.now() + 3_600_000]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls.evalsha).toHaveBeenCalledTimes(1);
});

test("a call that a replica refuses as a whole asks for another connection, once, even in vain", async () => {
  const disconnect = vi.fn(thrown(new Error("not now")));
  const { take } = storeOn(rejected(readOnly), undefined, { status: "ready", disconnect });
  await expect(take()).rejects.toThrow("READONLY");
  expect(disconnect.mock.calls).toEqual([[true]]);
});
