import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateHeaders } from "../../../test/http-scenarios/rate-headers.ts";
import type { HeaderDialect } from "./header-dialect.ts";
import { headerDialectSchema } from "./header-dialect-schema.ts";
import type { HeaderPair } from "./rate-headers.ts";
import type { RateStatus } from "./rate-status.ts";

const T0 = 1_700_006_400_000;
const allowed: RateStatus = {
  policy: "minute",
  limit: 100,
  window: 60_000,
  remaining: 50,
  retryAfter: 0,
  resetAfter: 30_000,
  allowed: true,
};
const refused: RateStatus = {
  ...allowed,
  policy: "hour",
  limit: 1000,
  window: 3_600_000,
  remaining: 0,
  retryAfter: 1500,
  resetAfter: 3_000_500,
  allowed: false,
};

function pairs(dialect: HeaderDialect, statuses: readonly RateStatus[], at = 0): HeaderPair[] {
  expect(headerDialectSchema.parse(dialect)).toEqual(dialect);
  return rateHeaders([dialect], { reset: "epoch" })(statuses, at, T0);
}

describe("dialectFields", () => {
  it("writes every part, in one order, with one prefix", () => {
    const dialect: HeaderDialect = {
      resource: "Policy",
      window: "Window",
      resetAfter: "Reset-After",
      reset: "Reset",
      used: "Used",
      remaining: "Remaining",
      limit: "Limit",
      fields: [{ name: "Of", value: "{used} of {limit}" }],
      prefix: "Acme-",
    };
    expect(pairs(dialect, [allowed, refused], 1)).toEqual([
      ["Acme-Limit", "1000"],
      ["Acme-Remaining", "0"],
      ["Acme-Used", "1000"],
      ["Acme-Reset", "1700009401"],
      ["Acme-Reset-After", "3001"],
      ["Acme-Window", "3600"],
      ["Acme-Policy", "hour"],
      ["Acme-Of", "1000 of 1000"],
    ]);
  });

  it("lists all policies in one header where it is of each", () => {
    const dialect: HeaderDialect = {
      fields: [
        {
          name: "Beta-RateLimit",
          of: "each",
          value: '"{policy}";r={remaining};t={reset}',
          as: "delta",
        },
      ],
    };
    expect(pairs(dialect, [allowed, refused])).toEqual([
      ["Beta-RateLimit", '"minute";r=50;t=30, "hour";r=0;t=3001'],
    ]);
  });

  it("tells only refusals where it is asked to: of the binding policy, in lists and by name", () => {
    const dialect: HeaderDialect = {
      resource: { name: "Reason", when: "refused" },
      fields: [
        { name: "Reasons", of: "each", when: "refused", value: "{policy}" },
        { name: "Reason-{policy}", when: "refused", value: "{window}" },
      ],
    };
    expect(pairs(dialect, [allowed])).toEqual([]);
    const other = { ...refused, policy: "day" };
    expect(pairs(dialect, [allowed, refused, other], 2)).toEqual([
      ["Reason", "day"],
      ["Reasons", "hour, day"],
      ["Reason-hour", "3600"],
      ["Reason-day", "3600"],
    ]);
  });

  it("says of some policies something else, or nothing of others", () => {
    const scope = { name: "Scope", value: "user", byPolicy: { hour: "all {limit}" } };
    const global = { name: "Global", byPolicy: { hour: "true" } };
    const dialect = { fields: [scope, global] };
    expect(rateHeaders([dialect], { reset: "epoch" })([allowed], 0, T0)).toEqual([
      ["Scope", "user"],
    ]);
    expect(pairs(dialect, [refused])).toEqual([
      ["Scope", "all 1000"],
      ["Global", "true"],
    ]);
  });

  it("names headers after policies, and those of other limiters safely", () => {
    const names = ["a", "a b", "a%20b", "a\r\nb: c", "caf\u00e9", "$&~_.!"];
    const statuses = names.map((policy) => ({ ...allowed, policy }));
    const told = pairs({ limit: "{policy}-Limit" }, statuses).map(([name]) => name);
    expect(told).toEqual([
      "a-Limit",
      "a%20b-Limit",
      "a%2520b-Limit",
      "a%0D%0Ab%3A%20c-Limit",
      "caf%C3%A9-Limit",
      "$&~_.!-Limit",
    ]);
  });

  it("tells once of a policy that two limiters have by one name, as the tighter one has it", () => {
    const dialect: HeaderDialect = { remaining: "Left-{policy}" };
    const left = (...statuses: Partial<RateStatus>[]) =>
      pairs(
        dialect,
        statuses.map((each) => ({ ...allowed, ...each })),
      );
    expect(left({ remaining: 5 }, { remaining: 3 })).toEqual([["Left-minute", "3"]]);
    expect(left({ remaining: 3 }, { remaining: 5 })).toEqual([["Left-minute", "3"]]);
    expect(left({ remaining: 3 }, { remaining: 3 })).toEqual([["Left-minute", "3"]]);
    const waits = { allowed: false, retryAfter: 5, remaining: 4 };
    expect(left({ remaining: 3 }, waits)).toEqual([["Left-minute", "4"]]);
    const never = { allowed: false, retryAfter: Number.POSITIVE_INFINITY, remaining: 2 };
    expect(left(never, waits)).toEqual([["Left-minute", "2"]]);
    expect(left(never, never, { policy: "day", remaining: 9 })).toEqual([
      ["Left-minute", "2"],
      ["Left-day", "9"],
    ]);
  });

  it("writes headers that Node takes, whatever policies are called", () => {
    const status = fc.record({
      policy: fc.string({ unit: "binary", minLength: 1 }),
      limit: fc.nat(1000),
      window: fc.integer({ min: 1, max: 2 ** 40 }),
      remaining: fc.integer({ min: -5, max: 2000 }),
      retryAfter: fc.integer({ min: 1, max: 2 ** 40 }),
      resetAfter: fc.nat(2 ** 40),
      allowed: fc.boolean(),
    });
    const dialect: HeaderDialect = {
      prefix: "X-{policy}-",
      limit: "Limit",
      resource: "Name",
      fields: [{ name: "Quoted", value: '"{policy}"' }],
    };
    const encode = rateHeaders([dialect], { reset: "epoch" });
    fc.assert(
      fc.property(fc.array(status, { minLength: 1, maxLength: 3 }), (statuses) => {
        for (const [name, value] of encode(statuses, 0, T0)) {
          expect(name).toMatch(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/);
          expect(value).toMatch(/^[\x20-\x7e]+$/);
        }
      }),
    );
  });
});
