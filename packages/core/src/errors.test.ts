import { describe, expect, it } from "vitest";
import { ConfigError, received, StoreError } from "./errors.ts";
import { createLimiter } from "./limiter.ts";
import { RateLimitError } from "./rate-limit-error.ts";

describe("ConfigError", () => {
  it("is a TypeError that says all that is wrong", () => {
    const error = new ConfigError([
      { path: "policies[1].limit", expected: "a whole number", received: '"5"' },
      { path: "", expected: "an object", received: "null" },
    ]);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ name: "ConfigError", code: "ERR_INVALID_CONFIG" });
    expect(error.message).toBe(
      'policies[1].limit: expected a whole number, received "5"; options: expected an object, received null',
    );
    expect(error.issues).toHaveLength(2);
  });
});

describe("StoreError", () => {
  it("carries what the store met", () => {
    const cause = new Error("ECONNREFUSED");
    const error = new StoreError("The store could not answer", cause);
    expect(error).toMatchObject({ name: "StoreError", code: "ERR_STORE_UNAVAILABLE", cause });
    expect(error).toBeInstanceOf(Error);
  });
});

describe("RateLimitError", () => {
  it("carries the refusal, for whoever reads statuses, headers or numbers", async () => {
    const decision = await createLimiter({ limit: 0, window: 1000 }).check("key");
    const error = new RateLimitError(decision, "Too many", 420, { "retry-after": "1" });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "RateLimitError",
      code: "ERR_RATE_LIMITED",
      message: "Too many",
      status: 420,
      statusCode: 420,
      expose: true,
      decision,
      headers: { "retry-after": "1" },
      limit: 0,
      remaining: 0,
      retryAfter: Infinity,
    });
    expect(new RateLimitError(decision, "").status).toBe(429);
    expect(new RateLimitError(decision, "").headers).toEqual({});
  });
});

describe("received", () => {
  it.each<[unknown, string]>([
    ["text", '"text"'],
    [/^x$/, "an instance of RegExp"],
    [new Map(), "an instance of Map"],
    [new (class Limits {})(), "an instance of Limits"],
    [new (class {})(), "an object"],
    [Object.create(null), "an object"],
    [{ constructor: { name: "Secret" } }, "an instance of Secret"],
    [{ constructor: null }, "an object"],
    ["", '""'],
    ["a\nb", '"a\\nb"'],
    ["x".repeat(70), `"${"x".repeat(60)}…"`],
    [5, "5"],
    [-0.5, "-0.5"],
    [Number.NaN, "NaN"],
    [Infinity, "Infinity"],
    [5n, "5n"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    ["redis://:secret@cache:6379", '"redis://…@cache:6379"'],
    ["rediss://user:p@ss@cache", '"rediss://…@cache"'],
    ["redis://u:p@h1,redis://v:se/cret@h2", '"redis://…@h2"'],
    ["redis://user:pa,ss@host", '"redis://…@host"'],
    ["redis://user:pa ss@host", '"redis://…@host"'],
    [`redis://:${"x".repeat(2000)}@host`, '"redis://…@host"'],
    ["user:secret@host:6379", '"user:…@host:6379"'],
    ["host:6380,password=secret,ssl=True", '"host:6380,password=…,ssl=True"'],
    ["redis://host?auth=secret&token=secret", '"redis://host?auth=…&token=…"'],
    ["redis://host/?passwd=secret", '"redis://host/?passwd=…"'],
    ["me@example.test", '"me@example.test"'],
    [10n ** 500n, `1${"0".repeat(59)}…`],
    ["http://example.test/", '"http://example.test/"'],
    [[1, 2], "an array of 2"],
    [{ secret: "s" }, "an object"],
    [Object.create(null), "an object"],
    [() => 1, "a function"],
    [function named() {}, "a function named"],
    [{ toString: () => "text" }, "an object"],
  ])("describes %o as %s", (value, text) => {
    expect(received(value)).toBe(text);
  });
});
