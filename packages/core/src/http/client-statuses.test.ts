import { describe, expect, it } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import type { Decision, PolicyStatus } from "../decision.ts";
import { addStatuses, bindingOf } from "./client-statuses.ts";
import { requestState } from "./request-state.ts";

function status(part: Partial<PolicyStatus>): PolicyStatus {
  return {
    policy: "p",
    key: "k",
    limit: 9,
    window: 1000,
    cost: 1,
    allowed: true,
    shadow: false,
    blocked: false,
    remaining: 5,
    retryAfter: 0,
    resetAfter: 1000,
    ...part,
  };
}

describe("bindingOf", () => {
  const binding = (allowed: boolean, statuses: readonly PolicyStatus[]) =>
    bindingOf(statuses, { allowed } as Decision);

  it("is the tightest of those that let pass, the first of equals", () => {
    expect(
      binding(
        true,
        [3, 1, 2].map((remaining) => status({ remaining })),
      ),
    ).toBe(1);
    expect(
      binding(
        true,
        [2, 2].map((remaining) => status({ remaining })),
      ),
    ).toBe(0);
  });

  it("is the one that refuses longest, never one that lets pass", () => {
    const refusing = (retryAfter: number) => status({ allowed: false, remaining: 3, retryAfter });
    expect(binding(false, [status({ remaining: 0 }), refusing(5), refusing(9), refusing(7)])).toBe(
      2,
    );
    expect(binding(false, [refusing(5), refusing(Infinity)])).toBe(1);
    expect(binding(false, [refusing(5), status({ remaining: 0 })])).toBe(0);
  });

  it("is the first of none", () => {
    expect(binding(true, [])).toBe(0);
  });
});

describe("tellStatuses", () => {
  it("tells of all policies of all limiters, in their order, but of none in shadow mode", () => {
    const state = requestState(requestOf());
    addStatuses(state, [status({ policy: "a" })], [false]);
    addStatuses(state, [status({ policy: "b" }), status({ shadow: true })], [false, false]);
    addStatuses(state, [status({ shadow: true })], [false]);
    expect(state.statuses.map(({ policy }) => policy)).toEqual(["a", "b"]);
  });
});

describe("a ceiling", () => {
  const told = (policy: Partial<PolicyStatus>, ceiling: Partial<PolicyStatus>) => {
    const state = requestState(requestOf());
    addStatuses(state, [status({ limit: 1 })], [false]);
    const own = status({ limit: 2, ...policy });
    addStatuses(state, [own, status({ limit: 20, allowed: false, ...ceiling })], [false, true]);
    return state.statuses.map(({ limit }) => limit);
  };

  it("stands in for its policy where that lets pass or refuses shorter", () => {
    expect(told({}, { retryAfter: 5 })).toEqual([1, 20]);
    expect(told({ allowed: false, retryAfter: 4 }, { retryAfter: 5 })).toEqual([1, 20]);
    expect(told({ allowed: false, retryAfter: 6 }, { retryAfter: 5 })).toEqual([1, 2]);
  });
});
