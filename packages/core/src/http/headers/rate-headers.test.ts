import fc from "fast-check";
import { parseDictionary, parseItem, parseList } from "structured-headers";
import { describe, expect, it } from "vitest";
import { rateHeaders } from "../../../test/http-scenarios/rate-headers.ts";
import { exposedHeaderNames } from "./exposed-headers.ts";
import { headerIssues } from "./header-choice.ts";
import { type HeaderStyle, headerStyles } from "./header-style.ts";
import type { RateStatus } from "./rate-status.ts";
import { retryAfterSeconds } from "./retry-after.ts";

const T0 = 1_700_006_400_000;
const allowed: RateStatus = {
  policy: "default",
  limit: 100,
  window: 60_000,
  remaining: 50,
  retryAfter: 0,
  resetAfter: 30_000,
  allowed: true,
};
const refused: RateStatus = {
  ...allowed,
  limit: 1,
  remaining: 0,
  retryAfter: 50_000,
  resetAfter: 50_000,
  allowed: false,
};
const never: RateStatus = {
  ...allowed,
  limit: 5,
  remaining: 5,
  retryAfter: Number.POSITIVE_INFINITY,
  resetAfter: 0,
  allowed: false,
};

const write = (
  styles: HeaderStyle | readonly HeaderStyle[],
  status: RateStatus | readonly RateStatus[],
  { binding = 0, now = T0, reset = "epoch" as "epoch" | "delta" } = {},
): Record<string, string> => {
  const pairs = rateHeaders([styles].flat(), { reset })([status].flat(), binding, now);
  const headers = Object.fromEntries(pairs);
  expect(Object.keys(headers)).toHaveLength(pairs.length);
  return headers;
};

describe("rateHeaders", () => {
  it.each<[HeaderStyle, string, RateStatus, Record<string, string>]>([
    [
      "legacy",
      "allowed",
      allowed,
      {
        "X-RateLimit-Limit": "100",
        "X-RateLimit-Remaining": "50",
        "X-RateLimit-Reset": "1700006430",
      },
    ],
    [
      "draft-6",
      "allowed",
      allowed,
      {
        "RateLimit-Limit": "100",
        "RateLimit-Remaining": "50",
        "RateLimit-Reset": "30",
        "RateLimit-Policy": "100;w=60",
      },
    ],
    [
      "draft-7",
      "allowed",
      allowed,
      { RateLimit: "limit=100, remaining=50, reset=30", "RateLimit-Policy": "100;w=60" },
    ],
    [
      "draft-8",
      "allowed",
      allowed,
      { "RateLimit-Policy": '"default";q=100;w=60', RateLimit: '"default";r=50;t=30' },
    ],
    [
      "draft-6",
      "refused",
      refused,
      {
        "RateLimit-Limit": "1",
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": "50",
        "RateLimit-Policy": "1;w=60",
      },
    ],
    [
      "draft-7",
      "refused",
      refused,
      { RateLimit: "limit=1, remaining=0, reset=50", "RateLimit-Policy": "1;w=60" },
    ],
    [
      "draft-8",
      "refused",
      refused,
      { "RateLimit-Policy": '"default";q=1;w=60', RateLimit: '"default";r=0;t=50' },
    ],
    [
      "legacy",
      "never",
      never,
      {
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "5",
        "X-RateLimit-Reset": "1700006400",
      },
    ],
    [
      "draft-7",
      "never",
      never,
      { RateLimit: "limit=5, remaining=0, reset=1", "RateLimit-Policy": "5;w=60" },
    ],
    [
      "draft-8",
      "never",
      never,
      { "RateLimit-Policy": '"default";q=5;w=60', RateLimit: '"default";r=0' },
    ],
  ])("%s, %s", (style, _what, status, headers) => {
    expect(write(style, status)).toEqual(headers);
  });

  it("keeps the three reset forms apart: limit 1 per 60 s, refused after 10 s", () => {
    const now = T0 + 10_000;
    const headers = write(["legacy", "draft-6"], refused, { now });
    expect(headers["X-RateLimit-Reset"]).toBe("1700006460");
    expect(headers["RateLimit-Reset"]).toBe("50");
    expect(retryAfterSeconds(refused.retryAfter)).toBe(50);
    const delta = write("legacy", refused, { now, reset: "delta" });
    expect(delta["X-RateLimit-Reset"]).toBe("50");
  });

  it("names the same moment for the whole of a fixed window", () => {
    const at = (after: number, reset: "epoch" | "delta") =>
      write("legacy", { ...allowed, resetAfter: 60_000 - after }, { now: T0 + after, reset })[
        "X-RateLimit-Reset"
      ];
    const times = [0, 10_000, 20_000, 20_001, 59_999];
    expect(times.map((after) => at(after, "epoch"))).toEqual(Array(5).fill("1700006460"));
    expect(times.map((after) => at(after, "delta"))).toEqual(["60", "50", "40", "40", "1"]);
  });

  it("rounds windows and waits up, and amounts down", () => {
    const odd = { ...allowed, window: 250, remaining: 1.9, resetAfter: 1 };
    expect(write("draft-8", odd)).toEqual({
      "RateLimit-Policy": '"default";q=100;w=1',
      RateLimit: '"default";r=1;t=1',
    });
    const longer = { ...refused, window: 1500, retryAfter: 1001 };
    expect(write("draft-8", longer)).toEqual({
      "RateLimit-Policy": '"default";q=1;w=2',
      RateLimit: '"default";r=0;t=2',
    });
    const untouched = write("draft-8", { ...allowed, resetAfter: 0 });
    expect(untouched.RateLimit).toBe('"default";r=50;t=1');
  });

  it("tells a costly refusal's state in legacy headers, and no allowance in the drafts", () => {
    const costly = { ...refused, limit: 5, remaining: 2, retryAfter: 20_000, resetAfter: 50_000 };
    expect(write(["legacy", "draft-8"], costly)).toEqual({
      "X-RateLimit-Limit": "5",
      "X-RateLimit-Remaining": "2",
      "X-RateLimit-Reset": "1700006450",
      "RateLimit-Policy": '"default";q=5;w=60',
      RateLimit: '"default";r=0;t=20',
    });
  });

  it("lists all policies in their order, and tells single values of the binding one", () => {
    const burst = { ...refused, policy: "burst", limit: 10, window: 1000, retryAfter: 400 };
    const hourly = { ...allowed, policy: "hourly", limit: 1000, window: 3_600_000 };
    const statuses = [hourly, burst];
    expect(write(["legacy", "draft-8"], statuses, { binding: 1 })).toEqual({
      "X-RateLimit-Limit": "10",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": "1700006450",
      "RateLimit-Policy": '"hourly";q=1000;w=3600, "burst";q=10;w=1',
      RateLimit: '"hourly";r=50;t=30, "burst";r=0;t=1',
    });
    expect(write("draft-7", statuses, { binding: 1 })).toEqual({
      RateLimit: "limit=10, remaining=0, reset=1",
      "RateLimit-Policy": "1000;w=3600, 10;w=1",
    });
  });

  it("names a number once in the policies of drafts 6 and 7, with its longest window", () => {
    const windows = [60_000, 3_600_000, 1000, 3_600_000];
    const statuses = windows.map((window, at) => ({ ...allowed, policy: `p${at}`, window }));
    const other = { ...allowed, policy: "other", limit: 7 };
    const headers = write("draft-6", [...statuses, other]);
    expect(headers["RateLimit-Policy"]).toBe("100;w=3600, 7;w=60");
    expect(write("draft-8", statuses)["RateLimit-Policy"]!.split(", ")).toHaveLength(4);
  });

  it("follows a limit, a window and a set of policies that change from answer to answer", () => {
    const encode = rateHeaders(["draft-8"], { reset: "epoch" });
    const policies = (...statuses: RateStatus[]) => encode(statuses, 0, T0)[0]![1];
    expect(policies(allowed)).toBe('"default";q=100;w=60');
    expect(policies({ ...allowed, limit: 5 })).toBe('"default";q=5;w=60');
    expect(policies({ ...allowed, window: 1000 })).toBe('"default";q=100;w=1');
    expect(policies({ ...allowed, policy: "a" })).toBe('"a";q=100;w=60');
    expect(policies(allowed, { ...allowed, policy: "b" })).toBe(
      '"default";q=100;w=60, "b";q=100;w=60',
    );
    expect(policies(allowed)).toBe('"default";q=100;w=60');
  });

  it("numbers policies of one name, which limiters on one request may have", () => {
    const statuses = ["a", "a", "a 2", "b", "a"].map((policy, i) => ({
      ...allowed,
      policy,
      limit: i + 1,
      remaining: i,
    }));
    expect(write("draft-8", statuses)).toEqual({
      "RateLimit-Policy":
        '"a";q=1;w=60, "a 3";q=2;w=60, "a 2";q=3;w=60, "b";q=4;w=60, "a 4";q=5;w=60',
      RateLimit: '"a";r=0;t=30, "a 3";r=1;t=30, "a 2";r=2;t=30, "b";r=3;t=30, "a 4";r=4;t=30',
    });
  });

  it("writes nothing without a style or a status", () => {
    expect(rateHeaders([], { reset: "epoch" })([allowed], 0, T0)).toEqual([]);
    expect(rateHeaders(["legacy", "draft-8"], { reset: "epoch" })([], 0, T0)).toEqual([]);
  });

  it("writes styles in their order, and a header that two of them share once", () => {
    const names = rateHeaders(["draft-7", "draft-6", "legacy", "draft-7"], { reset: "epoch" });
    expect(names([allowed], 0, T0).map(([name]) => name)).toEqual([
      "RateLimit",
      "RateLimit-Policy",
      "RateLimit-Limit",
      "RateLimit-Remaining",
      "RateLimit-Reset",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
    ]);
  });

  it("escapes policy names, and never writes a line break", () => {
    const names = ["plain", 'a"b', "a\\b", "a,b", "a;b", "a\r\nb: c", "caf\u00e9", "__proto__", ""];
    const statuses = names.map((policy) => ({ ...allowed, policy }));
    const headers = write("draft-8", statuses);
    const read = parseList(headers.RateLimit!).map(([name]) => name);
    expect(read.slice(0, 5)).toEqual(names.slice(0, 5));
    expect(read.slice(5)).toEqual(["a%0D%0Ab: c", "caf%C3%A9", "__proto__", ""]);
    expect(Object.values(headers).join("")).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe("every answer", () => {
  const status = fc.record({
    policy: fc.string({ unit: fc.constantFrom(...'ab"\\,;= '), minLength: 1 }),
    limit: fc.nat(1000),
    window: fc.integer({ min: 1, max: 2 ** 40 }),
    remaining: fc.integer({ min: -5, max: 2000 }),
    retryAfter: fc.oneof(
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.constant(Number.POSITIVE_INFINITY),
    ),
    resetAfter: fc.nat(2 ** 40),
    allowed: fc.boolean(),
  });
  const statuses = fc.array(status, { minLength: 1, maxLength: 4 });

  it("can be read as draft 8 says, and keeps its rules", () => {
    fc.assert(
      fc.property(statuses, (statuses) => {
        const headers = write("draft-8", statuses);
        const policies = parseList(headers["RateLimit-Policy"]!);
        const limits = parseList(headers.RateLimit!);
        expect(new Set(policies.map(([name]) => name)).size).toBe(statuses.length);
        for (const [at, { policy, limit, window, remaining, ...rest }] of statuses.entries()) {
          const [name, parameters] = policies[at]!;
          const isFirst = statuses.findIndex((other) => other.policy === policy) === at;
          expect(isFirst ? name === policy : String(name).startsWith(`${policy} `)).toBe(true);
          expect(Object.fromEntries(parameters)).toEqual({ q: limit, w: Math.ceil(window / 1000) });
          const [again, { r, t }] = read(limits[at]!);
          expect(again).toBe(name);
          if (rest.allowed) {
            expect(r).toBe(Math.max(0, Math.min(limit, remaining)));
            expect(t).toBe(Math.max(1, Math.ceil(rest.resetAfter / 1000)));
          } else {
            expect(r).toBe(0);
            expect(t).toBe(retryAfterSeconds(rest.retryAfter));
          }
        }
      }),
    );
  });

  it("can be read as drafts 6 and 7 say", () => {
    fc.assert(
      fc.property(statuses, fc.nat(3), (statuses, at) => {
        const binding = at % statuses.length;
        const headers = write(["draft-6", "draft-7"], statuses, { binding });
        const dictionary = parseDictionary(headers.RateLimit!);
        const [limit, remaining, reset] = ["limit", "remaining", "reset"].map(
          (key) => dictionary.get(key)![0],
        );
        expect([...dictionary.keys()]).toEqual(["limit", "remaining", "reset"]);
        expect(limit).toBe(statuses[binding]!.limit);
        expect(parseItem(headers["RateLimit-Limit"]!)[0]).toBe(limit);
        expect(parseItem(headers["RateLimit-Remaining"]!)[0]).toBe(remaining);
        expect(parseItem(headers["RateLimit-Reset"]!)[0]).toBe(reset);
        expect(remaining).toBeLessThanOrEqual(limit as number);
        expect(reset).toBeGreaterThanOrEqual(1);
        const numbers = parseList(headers["RateLimit-Policy"]!).map(([number]) => number);
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(new Set(numbers)).toEqual(new Set(statuses.map((status) => status.limit)));
      }),
    );
  });

  it("holds whole numbers only, whatever a store says", () => {
    const wild = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, 1e300, -1, 2 ** 53, 0.5));
    const broken = fc.record({
      policy: fc.constant("p"),
      limit: wild,
      window: wild,
      remaining: wild,
      retryAfter: wild,
      resetAfter: wild,
      allowed: fc.boolean(),
    });
    const styles = fc.constantFrom<readonly HeaderStyle[]>(
      ["legacy", "draft-6", "draft-7"],
      ["draft-8"],
    );
    fc.assert(
      fc.property(styles, broken, wild, (styles, status, now) => {
        for (const value of Object.values(write(styles, status, { now }))) {
          expect(value.replace(/"p"|;[qwrt]=|limit=|remaining=|reset=|, /g, " ")).toMatch(
            /^( *\d{1,15})+$/,
          );
        }
      }),
    );
  });
});

describe("headerIssues", () => {
  const issuesOf = (styles: HeaderStyle[]) => headerIssues(styles, "epoch", []);
  const all = Object.keys(headerStyles) as HeaderStyle[];

  it("lets each style stand by itself, and with the legacy one", () => {
    for (const style of all) expect(issuesOf(["legacy", style, style])).toEqual([]);
    expect(issuesOf(["draft-6", "draft-7", "legacy"])).toEqual([]);
    expect(issuesOf([])).toEqual([]);
  });

  it.each<[HeaderStyle, HeaderStyle, string]>([
    ["draft-6", "draft-8", "RateLimit-Policy"],
    ["draft-8", "draft-6", "RateLimit-Policy"],
    ["draft-7", "draft-8", "RateLimit"],
    ["draft-8", "draft-7", "RateLimit"],
  ])("refuses %s with %s", (one, other, name) => {
    const [issue] = issuesOf(["legacy", one, other]);
    expect(issue?.received).toMatch(`${one} and ${other}, which give ${name}`);
    expect(() => rateHeaders(["legacy", one, other], { reset: "epoch" })).toThrow(issue?.received);
  });

  it("answers for any list of styles what writing it shows", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { maxLength: 5 }), (styles) => {
        fc.pre(issuesOf(styles).length === 0);
        const names = Object.keys(write(styles, allowed));
        expect(exposedHeaderNames(styles)).toEqual([...names, "Retry-After"]);
      }),
    );
  });
});

describe("exposedHeaderNames", () => {
  it("lists exactly the headers in use and Retry-After", () => {
    expect(exposedHeaderNames(["legacy"])).toEqual([
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "Retry-After",
    ]);
    expect(exposedHeaderNames([])).toEqual(["Retry-After"]);
  });
});

function read([name, parameters]: ReturnType<typeof parseList>[number]): [
  unknown,
  { r?: unknown; t?: unknown },
] {
  return [name, Object.fromEntries(parameters)];
}
