import { describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";

type Options = Parameters<typeof createLimiter>[0];

const base = { limit: 5, window: "1m" };

describe("the options of a limiter", () => {
  it.each<object>([
    base,
    { limit: 0, window: 1 },
    { limit: Number.MAX_SAFE_INTEGER, window: "1d", algorithm: "fixed-window" },
    { limit: () => 5, window: "250ms" },
    { ...base, cost: 0 },
    { ...base, cost: async () => 1 },
    { ...base, algorithm: "sliding-log" },
    { ...base, algorithm: "token-bucket", burst: 1 },
    { ...base, algorithm: "leaky-bucket", burst: 10, delay: false },
    { ...base, segments: 60 },
    { ...base, algorithm: "fixed-window", align: "first-request" },
    { limit: 5, window: "month", algorithm: "fixed-window", timeZone: "Asia/Tokyo" },
    { limit: 5, window: "day", algorithm: "fixed-window" },
    { ...base, skip: () => false, shadow: true, countRefused: true, onStoreError: "closed" },
    { ...base, store: memoryStore(), onDecision: () => 1, onRefused: () => 1, onError: () => 1 },
    { ...base, policies: undefined, name: undefined, burst: undefined, store: undefined },
    {
      policies: [
        { ...base, name: "a" },
        { ...base, name: "b" },
      ],
      onWarning: () => 1,
    },
    { ...base, name: 'quote " and \\ and ~' },
  ])("may be %j", (options) => {
    expect(() => createLimiter(options as Options)).not.toThrow();
  });

  it.each<[option: string, problem: string, options: object]>([
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received -1",
      { ...base, limit: -1 },
    ],
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received 1.7",
      { ...base, limit: 1.7 },
    ],
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received NaN",
      { ...base, limit: Number.NaN },
    ],
    [
      "limit",
      "or a function (of no limit: skip, or a rule with unlimited: true), received Infinity",
      { ...base, limit: Infinity },
    ],
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received 9007199254740992",
      { ...base, limit: 2 ** 53 },
    ],
    [
      "limit",
      'a whole number from 0 to 2^53 - 1, or a function (convert it: Number(…)), received "5"',
      { ...base, limit: "5" },
    ],
    ["limit", 'or a function, received "five"', { ...base, limit: "five" }],
    ["cost", 'or a function (convert it: Number(…)), received "2"', { ...base, cost: "2" }],
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received undefined",
      { window: "1m" },
    ],
    [
      "limit",
      "a whole number from 0 to 2^53 - 1, or a function, received null",
      { ...base, limit: null },
    ],
    ["window", "received 0", { ...base, window: 0 }],
    ["window", "received 0.5", { ...base, window: 0.5 }],
    [
      "window",
      'or a function (a string needs a unit: "60000ms"), received "60000"',
      { ...base, window: "60000" },
    ],
    [
      "window",
      'or a function (a string needs a unit: "60s"), received "60"',
      { ...base, window: "60" },
    ],
    [
      "window",
      'or a function (did you mean "15m"?), received "15 minutes"',
      { ...base, window: "15 minutes" },
    ],
    ["window", "received NaN", { ...base, window: Number.NaN }],
    ["window", "received undefined", { ...base, window: undefined }],
    ["window", "received 3153600000001", { ...base, window: 3_153_600_000_001 }],
    [
      "window",
      'algorithm "fixed-window" for calendar windows, received "day"',
      { ...base, window: "day" },
    ],
    [
      "window",
      'expected a duration with align "first-request", received "day"',
      { ...base, window: "day", algorithm: "fixed-window", align: "first-request" },
    ],
    [
      "window",
      'expected window "day" or "month" with a timeZone, received "1m"',
      { ...base, algorithm: "fixed-window", timeZone: "UTC" },
    ],
    ["name", 'printable ASCII characters, received ""', { ...base, name: "" }],
    ["name", 'printable ASCII characters, received "a\\r\\nb"', { ...base, name: "a\r\nb" }],
    ["name", 'printable ASCII characters, received "é"', { ...base, name: "é" }],
    ["name", 'printable ASCII characters, received "xxx', { ...base, name: "x".repeat(129) }],
    ["algorithm", '"sliding-window", "fixed-window"', { ...base, algorithm: "gcra" }],
    ["algorithm", 'received "toString"', { ...base, algorithm: "toString" }],
    [
      "burst",
      "a whole number of at least 1, or a function, received 0",
      { ...base, algorithm: "token-bucket", burst: 0 },
    ],
    [
      "burst",
      'only with algorithm "token-bucket" or "leaky-bucket", received it with "sliding-window"',
      { ...base, burst: 5 },
    ],
    ["segments", "a whole number from 1 to 100, received 0", { ...base, segments: 0 }],
    ["segments", "a whole number from 1 to 100, received 101", { ...base, segments: 101 }],
    ["segments", "a divisor of the window's 60000 ms, received 7", { ...base, segments: 7 }],
    [
      "segments",
      'only with algorithm "sliding-window"',
      { ...base, segments: 2, algorithm: "sliding-log" },
    ],
    [
      "align",
      'one of "clock", "first-request", received "minute"',
      { ...base, algorithm: "fixed-window", align: "minute" },
    ],
    ["align", 'only with algorithm "fixed-window"', { ...base, align: "clock" }],
    [
      "timeZone",
      'an IANA time zone such as "Europe/Berlin"',
      { limit: 5, window: "day", algorithm: "fixed-window", timeZone: "Mars/Base" },
    ],
    ["delay", "true or false, received 0", { ...base, algorithm: "leaky-bucket", delay: 0 }],
    ["delay", 'only with algorithm "leaky-bucket"', { ...base, delay: true }],
    [
      "cost",
      "a whole number from 0 to 2^53 - 1, or a function, received 1.5",
      { ...base, cost: 1.5 },
    ],
    ["cost", "received -1", { ...base, cost: -1 }],
    ["skip", "a function, received true", { ...base, skip: true }],
    ["shadow", 'true or false, received "yes"', { ...base, shadow: "yes" }],
    ["countRefused", "true or false, received 1", { ...base, countRefused: 1 }],
    ["onStoreError", 'one of "open", "closed", received "shut"', { ...base, onStoreError: "shut" }],
    ["onError", "a function, received an object", { ...base, onError: {} }],
    [
      "store",
      'a store (an object with take, give and reset; of a client of Redis, redisStore(client)), received "redis"',
      { ...base, store: "redis" },
    ],
    [
      "store",
      "a store (an object with take, give and reset; of a client of Redis, redisStore(client)), received an object",
      { ...base, store: { take() {} } },
    ],
    ["max", "a known option (did you mean limit?), received 5", { ...base, max: 5 }],
    ["windowMs", "a known option (did you mean window?), received 5", { ...base, windowMs: 5 }],
    ["countrefused", "(did you mean countRefused?)", { ...base, countrefused: true }],
    ["policies", "at least 1 of them", { policies: [] }],
    ["policies[0].name", "printable ASCII characters, received undefined", { policies: [base] }],
    [
      "policies[1].name",
      'expected a name no other policy has, received "a"',
      {
        policies: [
          { ...base, name: "a" },
          { ...base, name: "a" },
        ],
      },
    ],
    [
      "policies[1].window",
      "received 0",
      {
        policies: [
          { ...base, name: "a" },
          { limit: 1, name: "b", window: 0 },
        ],
      },
    ],
    [
      "policies[1].segments",
      "a divisor of",
      {
        policies: [
          { ...base, name: "a" },
          { ...base, name: "b", segments: 7 },
        ],
      },
    ],
    [
      "limit",
      "a known option here (it stands in each of policies), received 5 under this name",
      { limit: 5, policies: [{ ...base, name: "a" }] },
    ],
    [
      "limit",
      "expected at most 100000 for a sliding log, received 100001",
      { ...base, limit: 100_001, algorithm: "sliding-log" },
    ],
    [
      "burst",
      "for this limit and window",
      { limit: 7, window: "36500d", algorithm: "token-bucket", burst: 1e6 },
    ],
  ])("refuse %s: %s", (option, problem, options) => {
    const make = () => createLimiter(options as Options);
    expect(make).toThrow(ConfigError);
    expect(make).toThrow(problem);
    try {
      make();
    } catch (error) {
      expect((error as ConfigError).issues.map(({ path }) => path)).toContain(option);
    }
  });

  it("are left out where they are undefined, wherever they stand", async () => {
    const blank = { limit: undefined, window: undefined, name: undefined, anything: undefined };
    const policies = [
      { ...base, name: "a", limit: 2, store: undefined, ban: { for: "1m", by: undefined } },
    ];
    const limiter = createLimiter({ ...blank, cost: undefined, policies } as unknown as Options);
    expect((await limiter.check("key")).remaining).toBe(1);
    class Own {
      readonly extra = undefined;
      get limit() {
        return 2;
      }
      get window() {
        return "1m";
      }
    }
    const given = createLimiter(Object.freeze(new Own()) as unknown as Options);
    expect((await given.check("key")).remaining).toBe(1);
    const wrong = { ...blank, policies, stores: null } as unknown as Options;
    expect(() => createLimiter(wrong)).toThrow(/^stores: expected a known option[^;]*null[^;]*$/);
  });

  it.each<[option: string, hint: string]>([
    [
      "key",
      "(it is an option only over HTTP; without it, the key is the argument of check), received 1",
    ],
    [
      "keyGenerator",
      "(did you mean key? It is an option only over HTTP; without it, the key is the argument of check)",
    ],
    ["headers", "(it is an option only over HTTP), received 1"],
    ["allow", "(it is an option only over HTTP), received 1"],
    ["whitelist", "(did you mean allow? It is an option only over HTTP), received 1"],
    ["nothing like it", "expected a known option, received 1"],
  ])("say of %s what it is over HTTP", (option, hint) => {
    const many = [{ ...base, name: "a", [option]: 1 }];
    expect(() => createLimiter({ ...base, [option]: 1 } as never)).toThrow(hint);
    expect(() => createLimiter({ policies: many } as never)).toThrow(hint);
  });

  it.each([undefined, null, 5, "1m", [], () => base])("refuse %o in their place", (options) => {
    expect(() => createLimiter(options as never)).toThrow(/^options: expected an object, received/);
  });

  it("say everything that is wrong at once", () => {
    const make = () => createLimiter({ limit: "x", window: 0, nmae: "a", burst: 5 } as never);
    expect(make).toThrow(/limit: .*; window: .*; nmae: .*did you mean name\?/);
    const contradicting = () => createLimiter({ ...base, burst: 5, delay: true } as never);
    expect(contradicting).toThrow(/burst: .*; delay: /);
  });

  it("are read once: what is changed afterwards changes nothing", async () => {
    const options = { limit: 1, window: "1m" as const };
    const limiter = createLimiter(options);
    options.limit = 100;
    await limiter.check("key");
    expect((await limiter.check("key")).limit).toBe(1);
  });
});
