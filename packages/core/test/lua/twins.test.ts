import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { algorithms, banningAlgorithms } from "../../src/algorithms/index.ts";
import { bannedSpecimens } from "../properties/banned-specimens.ts";
import { bareKey } from "../properties/bare-key.ts";
import { histories, live } from "../properties/history.ts";
import { policyOf, specimens } from "../properties/specimens.ts";
import { luaArithmetic } from "./lua-arithmetic.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type LuaFunction = (...args: unknown[]) => unknown[];
type Twin = Record<"take" | "mark" | "give" | "expires" | "report", LuaFunction | undefined>;

const twins = new Map(
  [...Object.values(algorithms), ...Object.values(banningAlgorithms)].map(({ name, lua }) => [
    name,
    luaArithmetic(lua.table) as Twin,
  ]),
);

describe.each([...specimens, ...bannedSpecimens])("the Lua twin of $name", (specimen) => {
  it("keeps the same numbers and says the same, step by step", () => {
    const story = fc.record({
      history: histories(specimen, { back: true, changes: true }),
      gives: fc.array(fc.record({ step: fc.nat(12), of: fc.nat(6) }), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(story, ({ history, gives }) => {
        const charges: { at: number; cost: number; left: number[] }[] = [];
        let index = 0;
        live(specimen, history, ({ key, before, now, cost, fits }) => {
          const { algorithm } = key.policy;
          const twin = twins.get(algorithm.name)!;
          const params = table(key.policy.params(now));
          const state = table(before.slots);
          expect(twin.take!(state, now, cost, params)).toEqual([fits]);
          for (const { step, of } of gives) {
            const charge = charges[of];
            if (step !== index || !charge) continue;
            key.give(now, charge.cost, charge.at, charge.left);
            twin.give!(state, now, charge.cost, charge.at, table(charge.left), params);
          }
          expect(state).toEqual(table(key.slots));
          const marked = [...key.slots];
          algorithm.mark(marked, now - 5, key.policy.params(now));
          const moved = [...state];
          twin.mark!(moved, now - 5, params);
          expect(moved).toEqual(table(marked));
          expect(twin.expires!(state, params)).toEqual([key.expires(now)]);
          const report = twin.report ? twin.report(state, now, cost, params)[0] : state;
          expect(report).toEqual(table(key.report(now, cost)));
          if (fits && cost > 0) charges.push({ at: now, cost, left: key.report(now, cost) });
          index++;
        });
      }),
      { numRuns: 200 },
    );
  });
});

describe("the Lua twin of a calendar window", () => {
  it("finds the same edges", () => {
    const policy = policyOf({
      algorithm: "fixed-window",
      limit: 3,
      window: "day",
      timeZone: "Europe/Berlin",
    });
    const twin = twins.get("fixed-window")!;
    const noon = Date.UTC(2025, 2, 30, 12);
    const days = fc.array(fc.double({ min: -1.4, max: 1.4, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(days, (times) => {
        const key = bareKey({ ...policy, params: () => policy.params(noon) });
        const state = table(key.slots);
        for (const day of times) {
          const now = noon + Math.floor(day * 86_400_000);
          const fits = key.take(now, 1);
          expect(twin.take!(state, now, 1, table(policy.params(noon)))).toEqual([fits]);
          expect(state).toEqual(table(key.slots));
        }
      }),
    );
  });
});

describe("the reader of the twins", () => {
  it("reads every algorithm to its functions", () => {
    for (const [name, twin] of twins) {
      const functions = name.startsWith("sliding-log") ? 6 : 4;
      expect(Object.values(twin).filter((value) => typeof value === "function")).toHaveLength(
        functions,
      );
    }
  });

  it.each([
    ["redis.call(1)", "unknown name redis"],
    ["os.time()", "unknown name os"],
    ["math.random(7)", "unknown member random"],
    ["(function() x = 1 end)()", "unknown name x"],
    ["(function() return KEYS[1] end)()", "unknown name KEYS"],
    ['"text"', "at"],
    ["1 -- a remark", "at"],
    ["1 2", "more follows"],
  ])("refuses %s", (text, message) => {
    expect(() => luaArithmetic(text)).toThrow(message);
  });

  it.each<[text: string, value: unknown]>([
    ["7 % 3 + 2 * 3 - 1", 6],
    ["false and 1 or 0", 0],
    ["true and 0 or 1", 0],
    ["not 0", false],
    ["1 == 1 and 2 ~= 3 and not (2 >= 3)", true],
    ["math.max(1, math.floor(7 / 2), math.ceil(5 / 3))", 3],
    ["(function() local a, b = 1, 2 a, b = b, a return a - b end)()", 1],
    ["(function() local n = {} for i = 1, 3 do n[i] = i * i end return n[3] end)()", 9],
    ["(function() local f = function() return 4, 2 end local a, b = f() return a / b end)()", 2],
    ["(function(x) if x then return 1 elseif not x then return 2 else return 3 end end)()", 2],
    ["(function() local i = 0 while i < 5 do i = i + 2 end return i end)()", 6],
  ])("reads %s as Lua does", (text, value) => {
    expect(luaArithmetic(text)).toBe(value);
  });
});

/** Creates a Lua table of numbers, indexed from 1. */
function table(numbers: readonly number[]): unknown[] {
  return [undefined, ...numbers];
}
