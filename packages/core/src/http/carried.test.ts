import { describe, expect, it, vi } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import type { Decision } from "../decision.ts";
import { memoryStore } from "../memory-store.ts";
import { carriedBy, enter, entryOf, latestDecision } from "./carried.ts";

describe("carriedBy", () => {
  it("is one for a request, and another for another, whatever they share", () => {
    const [a, b] = [requestOf(), requestOf()];
    b.rawHeaders = a.rawHeaders;
    expect(carriedBy(a)).toBe(carriedBy(a));
    expect(carriedBy(a)).not.toBe(carriedBy(b));
  });

  it("stays when the list of raw fields is replaced, and behind a proxy", () => {
    const req = requestOf();
    const carried = carriedBy(req);
    req.rawHeaders = [...req.rawHeaders];
    expect(carriedBy(req)).toBe(carried);
    expect(carriedBy(new Proxy(req, {}))).toBe(carried);
    expect(carriedBy(req)).toBe(carried);
  });

  it("is that of a proxy, where that came first", () => {
    const req = requestOf();
    const carried = carriedBy(new Proxy(req, {}));
    expect(carriedBy(req)).toBe(carried);
    expect(carriedBy(new Proxy(req, {}))).toBe(carried);
  });

  it.each<[string, (req: object) => object]>([
    ["is only to be read", (req) => new Proxy(req, { set: () => false })],
    [
      "keeps what is written to itself",
      (req) => {
        const own = new Map<unknown, unknown>();
        return new Proxy(req, {
          set: (_, name, value) => Boolean(own.set(name, value)),
          get: (target, name) => (own.has(name) ? own.get(name) : Reflect.get(target, name)),
        });
      },
    ],
  ])("is that of a proxy that %s", (_, of) => {
    const [first, second] = [requestOf(), requestOf()];
    expect(carriedBy(of(first))).toBe(carriedBy(first));
    const carried = carriedBy(second);
    expect(carriedBy(of(second))).toBe(carried);
  });

  it.each([
    ["a copy", (req: object) => Object.assign({}, req)],
    ["a clone", (req: object) => Object.assign(Object.create(Object.getPrototypeOf(req)), req)],
    ["what inherits from it", (req: object) => Object.create(req) as object],
  ])("is not that of %s", (_, of) => {
    const req = requestOf();
    const carried = carriedBy(req);
    const other = of(req);
    expect(carriedBy(other)).not.toBe(carried);
    expect(carriedBy(other)).toBe(carriedBy(other));
    expect(carriedBy(req)).toBe(carried);
  });

  it("is begun anew each time for a request that takes nothing on", () => {
    const frozen = Object.freeze({});
    expect(carriedBy(frozen)).not.toBe(carriedBy(frozen));
  });

  it("is shared by copies of the package", async () => {
    const req = requestOf();
    const carried = carriedBy(req);
    vi.resetModules();
    const copy = await import("./carried.ts");
    expect(copy.carriedBy).not.toBe(carriedBy);
    expect(copy.carriedBy(req)).toBe(carried);
  });
});

describe("latestDecision", () => {
  it("is that of a request, also of what inherits from it", () => {
    const req = requestOf();
    expect(latestDecision(req)).toBeUndefined();
    const decision = {};
    carriedBy(req).decision = decision as Decision;
    expect(latestDecision(req)).toBe(decision);
    expect(latestDecision(Object.create(req))).toBe(decision);
    expect(latestDecision(new Proxy(req, {}))).toBe(decision);
  });

  it("is not that of what was copied from it", () => {
    const req = requestOf();
    carriedBy(req).decision = {} as Decision;
    expect(latestDecision({ ...req })).toBeUndefined();
    expect(latestDecision(Object.assign(requestOf(), req))).toBeUndefined();
  });
});

describe("entryOf", () => {
  it("finds each limiter that was entered, and no other", () => {
    const carried = carriedBy(requestOf());
    const limiters = [1, 2, 3].map(() => ({ store: memoryStore() }));
    expect(entryOf(carried, limiters[0]!)).toBeUndefined();
    const entries = limiters.map((limiter) => enter(carried, limiter));
    expect(limiters.map((limiter) => entryOf(carried, limiter))).toEqual(entries);
    expect(new Set(entries).size).toBe(3);
    expect(entryOf(carried, { store: limiters[0]!.store })).toBeUndefined();
  });
});
