import { describe, expect, it, vi } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import type { Decision } from "../decision.ts";
import { memoryStore } from "../memory-store.ts";
import { addVisit, latestDecision, requestState, visitOf } from "./request-state.ts";

describe("carriedBy", () => {
  it("is one for a request, and another for another, whatever they share", () => {
    const [a, b] = [requestOf(), requestOf()];
    b.rawHeaders = a.rawHeaders;
    expect(requestState(a)).toBe(requestState(a));
    expect(requestState(a)).not.toBe(requestState(b));
  });

  it("stays when the list of raw fields is replaced, and behind a proxy", () => {
    const req = requestOf();
    const state = requestState(req);
    req.rawHeaders = [...req.rawHeaders];
    expect(requestState(req)).toBe(state);
    expect(requestState(new Proxy(req, {}))).toBe(state);
    expect(requestState(req)).toBe(state);
  });

  it("is that of a proxy, where that came first", () => {
    const req = requestOf();
    const state = requestState(new Proxy(req, {}));
    expect(requestState(req)).toBe(state);
    expect(requestState(new Proxy(req, {}))).toBe(state);
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
    expect(requestState(of(first))).toBe(requestState(first));
    const state = requestState(second);
    expect(requestState(of(second))).toBe(state);
  });

  it.each([
    ["a copy", (req: object) => Object.assign({}, req)],
    ["a clone", (req: object) => Object.assign(Object.create(Object.getPrototypeOf(req)), req)],
    ["what inherits from it", (req: object) => Object.create(req) as object],
  ])("is not that of %s", (_, of) => {
    const req = requestOf();
    const state = requestState(req);
    const other = of(req);
    expect(requestState(other)).not.toBe(state);
    expect(requestState(other)).toBe(requestState(other));
    expect(requestState(req)).toBe(state);
  });

  it("is begun anew each time for a request that takes nothing on", () => {
    const frozen = Object.freeze({});
    expect(requestState(frozen)).not.toBe(requestState(frozen));
  });

  it("is shared by copies of the package", async () => {
    const req = requestOf();
    const state = requestState(req);
    vi.resetModules();
    const copy = await import("./request-state.ts");
    expect(copy.requestState).not.toBe(requestState);
    expect(copy.requestState(req)).toBe(state);
  });
});

describe("latestDecision", () => {
  it("is that of a request, also of what inherits from it", () => {
    const req = requestOf();
    expect(latestDecision(req)).toBeUndefined();
    const decision = {};
    requestState(req).decision = decision as Decision;
    expect(latestDecision(req)).toBe(decision);
    expect(latestDecision(Object.create(req))).toBe(decision);
    expect(latestDecision(new Proxy(req, {}))).toBe(decision);
  });

  it("is not that of what was copied from it", () => {
    const req = requestOf();
    requestState(req).decision = {} as Decision;
    expect(latestDecision({ ...req })).toBeUndefined();
    expect(latestDecision(Object.assign(requestOf(), req))).toBeUndefined();
  });
});

describe("entryOf", () => {
  it("finds each limiter that was entered, and no other", () => {
    const state = requestState(requestOf());
    const limiters = [1, 2, 3].map(() => ({ store: memoryStore() }));
    expect(visitOf(state, limiters[0]!)).toBeUndefined();
    const entries = limiters.map((limiter) => addVisit(state, limiter));
    expect(limiters.map((limiter) => visitOf(state, limiter))).toEqual(entries);
    expect(new Set(entries).size).toBe(3);
    expect(visitOf(state, { store: limiters[0]!.store })).toBeUndefined();
  });
});
