import { describe, expect, it, vi } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { createGuard } from "../guard.ts";
import type { HttpOptions } from "../options/http-options.ts";
import { requestState } from "../request-state.ts";
import { apiKey } from "./api-key.ts";
import { ip } from "./extractors.ts";
import { keyOf } from "./key-of.ts";

const minute = { limit: 9, window: "1m" } as const;
const names = ["a", "b", "c"];
const guardOf = (options: object) => createGuard(bareFramework(), options as HttpOptions<never>);

/** Makes functions that answer or fail. */
const kinds: [string, (answer: unknown, fails: boolean) => (...told: unknown[]) => unknown][] = [
  ["at once", (answer, fails) => () => (fails ? thrown() : answer)],
  ["later", (answer, fails) => async () => (fails ? thrown() : answer)],
];

function thrown(): never {
  throw new Error("mine");
}

/** Passes a request through guards one after another; resolves with the key or the error of each. */
async function met(guards: readonly ReturnType<typeof guardOf>[], req = requestOf(said)) {
  const seen: unknown[] = [];
  for (const guard of guards) {
    const admitted = (async () => guard.admit(req as never))();
    seen.push(await admitted.then(({ decision }) => decision?.key, String));
  }
  return seen;
}

const said = { headers: { "x-api-key": "k" } };

describe.each(kinds)("verify that answers %s", (_, make) => {
  it.each<[answer: boolean, fails: boolean, seen: string]>([
    [true, false, keyOf.apiKey("k")],
    [false, false, keyOf.ip("127.0.0.1")],
    [true, true, "Error: mine"],
  ])(
    "is asked once by policies, lists and limiters: %j, failing %j",
    async (answer, fails, seen) => {
      const verify = vi.fn((_key: string) => make(answer, fails)());
      const key = [apiKey({ verify } as never), ip()];
      const policies = names.map((name) => ({ ...minute, name, key }));
      const guards = [
        guardOf({ policies, allow: [keyOf.apiKey("other")] }),
        guardOf({ policies, deny: [{ key: keyOf.apiKey("other"), when: () => true }] }),
      ];
      expect(await met(guards)).toEqual([seen, seen]);
      expect(verify).toHaveBeenCalledTimes(1);
      expect(verify).toHaveBeenCalledWith("k", expect.anything());
      expect(await met(guards)).toEqual([seen, seen]);
      expect(verify).toHaveBeenCalledTimes(2);
    },
  );
});

describe("verify", () => {
  const other = vi.fn(() => true);

  it("is asked for every text, and every function for its own", async () => {
    const verify = vi.fn(() => true);
    const key = (header: string, by: () => boolean) => apiKey({ header, verify: by });
    const guard = guardOf({
      policies: [
        { ...minute, name: "a", key: key("x-a", verify) },
        { ...minute, name: "b", key: key("x-b", verify) },
        { ...minute, name: "c", key: key("x-c", verify) },
        { ...minute, name: "d", key: key("x-c", other) },
      ],
    });
    const headers = { "x-a": "one", "x-b": "one", "x-c": "two" };
    const decision = (await guard.admit(requestOf({ headers }) as never)).decision!;
    expect(decision.statuses.map((status) => status.key)).toEqual(
      ["one", "one", "two", "two"].map(keyOf.apiKey),
    );
    expect(verify.mock.calls.map(([text]: unknown[]) => text)).toEqual(["one", "two"]);
    expect(other).toHaveBeenCalledTimes(1);
  });

  it("that takes the request too is asked once by each limiter", async () => {
    const asked: unknown[] = [];
    const verify = (_key: string, req: { user?: unknown }): boolean => {
      asked.push(req.user);
      return req.user !== undefined;
    };
    const policies = names.map((name) => ({
      ...minute,
      name,
      key: [apiKey<{ user?: unknown }>({ verify }), ip()],
    }));
    const [before, after] = [guardOf({ policies }), guardOf({ policies })];
    const req = requestOf(said);
    expect(await met([before], req)).toEqual([keyOf.ip("127.0.0.1")]);
    req.user = "ada";
    expect(await met([after], req)).toEqual([keyOf.apiKey("k")]);
    expect(asked).toEqual([undefined, "ada"]);
  });

  it("is asked once while its answer is awaited", async () => {
    let answer: (known: boolean) => void = () => {};
    const verify = vi.fn((_key: string) => new Promise<boolean>((resolve) => (answer = resolve)));
    const policies = names.map((name) => ({ ...minute, name, key: apiKey({ verify }) }));
    const guards = [guardOf({ policies }), guardOf({ policies })];
    const req = requestOf(said);
    const verdicts = guards.map((guard) => guard.admit(req as never));
    const usage = guards[0]!.usage(req as never);
    answer(true);
    for (const verdict of await Promise.all(verdicts)) {
      expect(verdict.decision?.key).toBe(keyOf.apiKey("k"));
    }
    expect((await usage)?.policies).toHaveLength(3);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it("may answer by a query, which runs once", async () => {
    const run = vi.fn((resolve: (known: boolean) => void) => resolve(true));
    // biome-ignore lint/suspicious/noThenProperty: that is the case
    const verify = () => ({ then: run }) as never;
    const policies = names.map((name) => ({ ...minute, name, key: apiKey({ verify }) }));
    expect(await met([guardOf({ policies })])).toEqual([keyOf.apiKey("k")]);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("is asked once by a limiter of a request that carries nothing", async () => {
    const verify = vi.fn((_key: string) => true);
    const policies = names.map((name) => ({ ...minute, name, key: apiKey({ verify }) }));
    const guards = [guardOf({ policies }), guardOf({ policies })];
    await met(guards, Object.freeze(requestOf(said)));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it("is asked each time where there is no place for answers", () => {
    const verify = vi.fn(() => true);
    const key = apiKey({ verify });
    const context = { req: {}, headers: () => said.headers } as never;
    for (let i = 0; i < 2; i++) expect(key.identify(context)).toHaveProperty("verified", true);
    expect(verify).toHaveBeenCalledTimes(2);
  });
});

describe.each(kinds)("a tier function that answers %s", (_, make) => {
  it.each<[answer: unknown, fails: boolean, limit: number | undefined]>([
    ["pro", false, 99],
    [undefined, false, 9],
    [null, false, 9],
    ["", false, 9],
    ["pro", true, undefined],
  ])("is asked once for several policies: %j, failing %j", async (answer, fails, limit) => {
    const tier = vi.fn(make(answer, fails));
    const tiers = { pro: { limit: 99 } };
    const policies = names.map((name) => ({ ...minute, name, key: ip(), tier, tiers }));
    const guard = guardOf({ policies });
    const req = requestOf() as never;
    const limits = (await (async () => guard.admit(req))().catch(() => undefined))?.decision;
    const told = limit === undefined ? undefined : [limit, limit, limit];
    expect(limits?.statuses.map((status) => status.limit)).toEqual(told);
    expect(tier.mock.calls).toEqual([[req]]);
    const usage = (async () => guard.usage(req))().catch(() => undefined);
    expect((await usage)?.policies.map((one) => one.limit)).toEqual(told);
    expect(tier).toHaveBeenCalledTimes(2);
  });
});

describe("a tier function", () => {
  it("is asked by each limiter, which may stand before or behind authentication", async () => {
    const tier = (req: { user?: unknown }) => req.user as string | undefined;
    const tiers = { pro: { limit: 99 } };
    const policies = names.map((name) => ({ ...minute, name, key: ip(), tier, tiers }));
    const [before, after] = [guardOf({ policies }), guardOf({ policies })];
    const req = requestOf();
    expect((await before.admit(req as never)).decision?.limit).toBe(9);
    req.user = "pro";
    expect((await after.admit(req as never)).decision?.limit).toBe(99);
  });

  it("is blamed for what it answers where a policy has it, as for one policy", async () => {
    const policies = names.map((name) => ({
      ...minute,
      name,
      key: ip(),
      tier: () => 7,
      tiers: { a: {} },
    }));
    const same = policies.map((policy) => ({ ...policy, tier: policies[0]!.tier }));
    const told = "policies[0].tier: expected the name of a tier";
    for (const list of [policies, same]) {
      const guard = guardOf({ policies: list });
      expect(() => guard.admit(requestOf() as never)).toThrow(told);
    }
  });
});

it("leaves nothing at requests that nothing is asked about", async () => {
  const tier = (): string => "pro";
  const req = requestOf(said);
  await met([guardOf({ ...minute, tier, tiers: { pro: { limit: 99 } } }), guardOf(minute)], req);
  expect(requestState(req).asked).toBeUndefined();
});
