import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type HttpOptions } from "../../src/http/index.ts";
import { memoryStore, type PolicySource, type Store } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { requestOf } from "../http-scenarios/requests.ts";

const minute = { window: "1m", algorithm: "fixed-window" } as const;

interface Source extends PolicySource {
  publish(next: object): void;
}

function sourceOf(first: object): Source {
  const listeners = new Set<(next: object) => void>();
  return {
    current: first,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publish: (next) => {
      for (const listener of listeners) listener(next);
    },
    close: () => listeners.clear(),
  };
}

function guardBy(source: PolicySource, more: object = {}): Guard<BareRequest> {
  const store: Store = memoryStore({ clock: manualClock() });
  const given = { store, source, onWarning: () => {}, ...more };
  return createGuard(bareFramework(), given as unknown as HttpOptions<BareRequest>);
}

async function left(guard: Guard<BareRequest>): Promise<string> {
  const { decision } = await guard.admit(requestOf());
  return `${decision!.limit} ${decision!.remaining}`;
}

describe("policies from a source", () => {
  it("that have no name keep their counts over any number of versions, used or not", async () => {
    const source = sourceOf({ ...minute, limit: 3 });
    const guard = guardBy(source);
    for (let limit = 4; limit < 3000; limit++) source.publish({ ...minute, limit });
    expect(await left(guard)).toBe("2999 2998");
    for (let limit = 10; limit < 3000; limit++) source.publish({ ...minute, limit });
    expect(await left(guard)).toBe("2999 2997");
  });

  it("warn nobody of their exchange, but once of another limiter that counts with them", async () => {
    const source = sourceOf({ ...minute, limit: 3 });
    const store = memoryStore({ clock: manualClock() });
    const codes: unknown[] = [];
    const onWarning = (warning: { code?: string }) => void codes.push(warning.code);
    const guard = guardBy(source, { store, onWarning });
    for (let limit = 4; limit < 9; limit++) {
      await left(guard);
      source.publish({ ...minute, limit });
    }
    expect(codes).toEqual([]);
    const other = guardBy(sourceOf({ ...minute, limit: 99 }), { store, onWarning });
    expect(await left(other)).toBe("99 93");
    expect(codes).toEqual([]);
    for (let i = 0; i < 2; i++) await left(guard);
    expect(codes).toEqual(["SPILLWAY_UNNAMED_LIMITERS"]);
  });

  it("leave no trace in the store of the versions that were not used", async () => {
    const store = memoryStore({ clock: manualClock() });
    const source = sourceOf({ ...minute, limit: 3 });
    const guard = guardBy(source, { store });
    await left(guard);
    for (let limit = 4; limit < 1000; limit++) source.publish({ ...minute, limit });
    // Another limiter without a name on this store is another policy, as if the unused versions had never existed.
    const other = createGuard(bareFramework(), {
      ...minute,
      limit: 999,
      store,
      onWarning: () => {},
    });
    expect(await left(other)).toBe("999 997");
  });

  it("come back to what was used where another algorithm was tried meanwhile", async () => {
    const source = sourceOf({ ...minute, limit: 3 });
    const guard = guardBy(source);
    await left(guard);
    source.publish({ limit: 3, window: "1m", algorithm: "token-bucket" });
    expect(await left(guard)).toBe("3 2");
    source.publish({ ...minute, limit: 3 });
    expect(await left(guard)).toBe("3 1");
  });

  it("take the other options beside source for what the source leaves out", async () => {
    const source = sourceOf({ ...minute, limit: 0, status: 503 });
    const guard = guardBy(source, { status: 418, body: () => "mine" });
    const refused = async () => {
      const verdict = await guard.admit(requestOf());
      return verdict.kind === "refuse" ? [verdict.status, verdict.body.text] : verdict.kind;
    };
    expect(await refused()).toEqual([503, "mine"]);
    source.publish({ ...minute, limit: 0 });
    expect(await refused()).toEqual([418, "mine"]);
  });

  it("are told of once a version, and warned of once a code", async () => {
    const warnings: string[] = [];
    const source = sourceOf({ ...minute, limit: 3 });
    const onWarning = ({ code }: { code: string }) => void warnings.push(code);
    const guard = guardBy(source, { onWarning });
    for (let i = 0; i < 3; i++) {
      source.publish({ limit: "nonsense" });
      await guard.admit(requestOf({ peer: undefined }));
    }
    expect(warnings.sort()).toEqual(["SPILLWAY_ERROR", "SPILLWAY_NO_ADDRESS"]);
  });

  it("are refused at first where they do not fit, with the path in the source", () => {
    const wrong = { matching: "all", rules: [{ name: "a", limit: -1, window: "1m" }] };
    expect(() => guardBy(sourceOf(wrong))).toThrow(/^source\.rules\[0\]\.limit: /);
    expect(() => guardBy(sourceOf({ ...minute, limit: 1, onError() {} }))).toThrow(
      /^source\.onError: expected nothing/,
    );
    expect(() => guardBy({} as never)).toThrow(/^source: expected a source of policies/);
  });

  it("charge a request once, also where they change while it goes from mount to mount", async () => {
    const source = sourceOf({ ...minute, limit: 3 });
    const guard = guardBy(source);
    const req = requestOf();
    await guard.admit(req);
    source.publish({ ...minute, limit: 2 });
    expect(await guard.admit(req)).toMatchObject({ kind: "pass", decision: undefined });
    expect(await left(guard)).toBe("2 0");
  });

  it("hold a request by the limits that it began with", async () => {
    let answer = (_: string): void => {};
    const key = () => new Promise<string>((resolve) => (answer = resolve));
    const source = sourceOf({ ...minute, limit: 3, key });
    const guard = guardBy(source);
    const pending = guard.admit(requestOf());
    source.publish({ ...minute, limit: 0 });
    answer("somebody");
    expect(await pending).toMatchObject({ kind: "pass", decision: { limit: 3, remaining: 2 } });
    expect(await guard.admit(requestOf())).toMatchObject({ kind: "refuse" });
  });

  it("may be none for a while, and what was taken before can still be given back", async () => {
    const source = sourceOf({ ...minute, limit: 3, name: "kept" });
    const guard = guardBy(source);
    const decision = await guard.limiter.check("a");
    source.publish({ matching: "all", rules: [{ name: "none", unlimited: true }] });
    expect(await guard.limiter.check("a")).toMatchObject({ allowed: true, reason: "skipped" });
    await guard.limiter.give(decision);
    source.publish({ ...minute, limit: 3, name: "kept" });
    expect(await guard.limiter.peek("a")).toMatchObject({ remaining: 3 });
  });
});
