import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type HttpOptions, ip } from "../../src/http/index.ts";
import { type Charge, type Decision, memoryStore, type Store } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { requestOf } from "../http-scenarios/requests.ts";

const policy = { limit: 5, window: "1m", algorithm: "fixed-window" } as const;

/** A store that records the policies of each take. */
function noting(): Store & { readonly asked: string[] } {
  const store = memoryStore({ clock: manualClock() });
  const asked: string[] = [];
  return {
    ...store,
    asked,
    take(charges: readonly Charge[], keep: boolean) {
      asked.push(charges.map(({ policy: { name } }) => name).join(" "));
      return store.take(charges, keep);
    },
  };
}

function guardOf(options: object): Guard<BareRequest> {
  const store = memoryStore({ clock: manualClock() });
  const given = { store, onWarning: () => {}, ...options };
  return createGuard(bareFramework(), given as unknown as HttpOptions<BareRequest>);
}

async function decided(guard: Guard<BareRequest>, url: string): Promise<Decision> {
  const { decision } = await guard.admit(Object.assign(requestOf(), { url }));
  return decision!;
}

describe("rules", () => {
  it("that do not match cost nothing: they are asked for no key and no charge", async () => {
    const store = noting();
    const asked: string[] = [];
    const rules = Array.from({ length: 50 }, (_, i) => ({
      ...policy,
      name: `rule ${i}`,
      match: `/at/${i}`,
      key: () => void asked.push(`key ${i}`),
      cost: () => asked.push(`cost ${i}`) && 1,
    }));
    const guard = guardOf({ store, rules, matching: "first" });
    await decided(guard, "/at/7");
    await decided(guard, "/nowhere");
    expect(asked).toEqual(["key 7", "cost 7"]);
    expect(store.asked).toEqual(["rule 7"]);
  });

  it("answer in place where nothing has to be waited for", () => {
    for (const matching of ["first", "all"]) {
      const rules = [{ ...policy, name: "a", match: "/a" }];
      const verdict = guardOf({ rules, matching }).admit(Object.assign(requestOf(), { url: "/a" }));
      expect(verdict).toMatchObject({ kind: "pass", decision: { policy: "a", remaining: 4 } });
    }
  });

  it("replace others only where they are not replaced themselves", async () => {
    const store = noting();
    const rules = [
      { ...policy, name: "c" },
      { ...policy, name: "b", match: "/x/*", replaces: ["c"] },
      { ...policy, name: "a", match: "/x/y", replaces: ["b"] },
    ];
    const guard = guardOf({ store, rules, matching: "all" });
    for (const url of ["/", "/x/z", "/x/y"]) await decided(guard, url);
    expect(store.asked).toEqual(["c", "b", "c a"]);
  });

  it("are one of each that stand for another where replaced ones are unlimited", async () => {
    const rules = [
      { name: "free", match: "/files/*", unlimited: true },
      { ...policy, name: "large", match: "/files/large/*", replaces: ["free"] },
    ];
    const guard = guardOf({ rules, matching: "all" });
    expect(await decided(guard, "/files/a")).toMatchObject({ reason: "skipped", policy: "free" });
    expect(await decided(guard, "/files/large/a")).toMatchObject({ reason: "ok", policy: "large" });
  });

  it("charge several policies of one rule or none", async () => {
    const policies = [
      { ...policy, name: "minute" },
      { ...policy, name: "hour", limit: 1, window: "1h" },
    ];
    const guard = guardOf({ rules: [{ name: "api", match: "/api", policies }], matching: "first" });
    await decided(guard, "/api");
    const refused = await decided(guard, "/api");
    expect(refused.allowed).toBe(false);
    expect(refused.statuses.map(({ remaining }) => remaining)).toEqual([4, 0]);
  });

  it("are looked at, reset and charged by hand all together, or by name", async () => {
    const rules = [
      { ...policy, name: "a", match: "/a", key: ip() },
      { name: "free", match: "/free", unlimited: true },
      { ...policy, name: "b", match: "/b", key: ip() },
    ];
    const guard = guardOf({ rules, matching: "first" });
    const { key } = await decided(guard, "/b");
    const left = async () =>
      (await guard.limiter.peek(key)).statuses.map(({ policy, remaining }) => [policy, remaining]);
    expect(await left()).toEqual([
      ["a", 5],
      ["b", 4],
    ]);
    await guard.limiter.check(key, { policy: "a" });
    await guard.limiter.reset(key, { policy: "b" });
    expect(await left()).toEqual([
      ["a", 4],
      ["b", 5],
    ]);
  });

  it("have their own action each", async () => {
    const rules = [
      { ...policy, limit: 0, name: "a", match: "/a", action: "log" },
      { ...policy, limit: 0, name: "b", match: "/b", action: () => ({ status: 418 }) },
      { ...policy, limit: 0, name: "c", match: "/c" },
    ];
    const guard = guardOf({ rules, matching: "first" });
    const statuses: unknown[] = [];
    for (const url of ["/a", "/b", "/c"]) {
      const verdict = await guard.admit(Object.assign(requestOf(), { url }));
      statuses.push(verdict.kind === "refuse" ? verdict.status : verdict.kind);
    }
    expect(statuses).toEqual(["pass", 418, 429]);
  });
});

describe("shadow", () => {
  it("of a limiter is that of each policy which says nothing of it", async () => {
    const policies = [
      { ...policy, name: "a", limit: 0 },
      { ...policy, name: "b", limit: 0, shadow: false },
    ];
    const guard = guardOf({ policies, shadow: true });
    const { statuses, allowed } = await decided(guard, "/");
    expect(statuses.map(({ shadow }) => shadow)).toEqual([true, false]);
    expect(allowed).toBe(false);
    const rules = [{ name: "r", policies: [policies[0]] }];
    const ruled = await decided(guardOf({ rules, matching: "all", shadow: true }), "/");
    expect(ruled).toMatchObject({ allowed: true, shadowed: true });
  });
});
