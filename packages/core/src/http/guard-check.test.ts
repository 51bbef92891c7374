import { describe, expect, it, test } from "vitest";
import { type BareRequest, bareFramework } from "../../test/http-scenarios/bare-server.ts";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { manualClock } from "../testing/index.ts";
import { createGuard, type Guard } from "./guard.ts";
import type { HttpOptions } from "./options/http-options.ts";

const policy = { limit: 2, window: "1m", algorithm: "fixed-window" } as const;
const store = () => memoryStore({ clock: manualClock() });

/** Creates a store that answers later. */
function later(): Store {
  const inner = store();
  return { ...inner, take: async (charges, keep) => inner.take(charges, keep) };
}

function guardOf(options: Partial<HttpOptions<BareRequest>> = {}): Guard<BareRequest> {
  return createGuard(bareFramework(), {
    ...policy,
    store: store(),
    ...options,
  } as HttpOptions<BareRequest>);
}

describe.each([
  ["at once", store],
  ["later", later],
])("a request checked by a handler, on a store that answers %s,", (_, storeOf) => {
  it("is charged, and allowed or not", async () => {
    const guard = guardOf({ store: storeOf() });
    const allowed: boolean[] = [];
    for (let i = 0; i < 3; i++) allowed.push((await guard.check(requestOf())).allowed);
    expect(allowed).toEqual([true, true, false]);
  });

  it("is charged once, also if several ask at once", async () => {
    const guard = guardOf({ store: storeOf() });
    const req = requestOf();
    const decisions = await Promise.all([guard.check(req), guard.check(req), guard.check(req)]);
    decisions.push(await guard.check(req));
    expect(new Set(decisions).size).toBe(1);
    expect(decisions[0]).toMatchObject({ allowed: true, remaining: 1 });
  });

  it("has the decision that was made on it before, pass or refusal", async () => {
    const guard = guardOf({ store: storeOf(), limit: 1 });
    for (const kind of ["pass", "refuse"]) {
      const req = requestOf();
      const verdict = await guard.admit(req);
      expect(verdict.kind).toBe(kind);
      expect(await guard.check(req)).toBe(verdict.decision);
      expect(await guard.check(req)).toBe(verdict.decision);
    }
  });

  it("passes the limiter afterwards if it was allowed, and else is refused", async () => {
    const guard = guardOf({ store: storeOf(), limit: 1 });
    for (const kind of ["pass", "refuse"]) {
      const req = requestOf();
      await guard.check(req);
      expect((await guard.admit(req)).kind).toBe(kind);
    }
  });

  it("is charged although it can carry nothing", async () => {
    const guard = guardOf({ store: storeOf() });
    const req = Object.freeze(requestOf());
    expect((await guard.check(req)).remaining).toBe(1);
    expect((await guard.check(req)).remaining).toBe(0);
  });
});

test("a check fails if a function of the options does, and again", async () => {
  const cost = () => {
    throw new Error("no cost");
  };
  for (const given of [cost, async () => cost()]) {
    const guard = guardOf({ cost: given });
    const req = requestOf();
    await expect(guard.check(req)).rejects.toThrow("no cost");
    await expect(guard.check(req)).rejects.toThrow("no cost");
  }
});

test("a function of the options that checks the request the middleware decides on is told so", async () => {
  const guard: Guard<BareRequest> = guardOf({
    key: async (req) => String((await guard.check(req)).key),
  });
  await expect(guard.admit(requestOf())).rejects.toThrow(
    "check(request): expected a call by a handler, after the limiter has decided",
  );
});
