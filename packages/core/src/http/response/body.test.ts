import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outageBody, type RefusalInfo, refusalBody } from "./body.ts";

const refusal: RefusalInfo = {
  status: 429,
  policy: "default",
  limit: 100,
  retryAfter: 29_001,
  most: undefined,
  blocked: false,
  violated: () => ["default"],
};
const never: RefusalInfo = { ...refusal, retryAfter: Number.POSITIVE_INFINITY };

describe("refusalBody", () => {
  it("is the documented JSON, in the documented order", () => {
    expect(refusalBody("json", refusal)).toEqual({
      contentType: "application/json; charset=utf-8",
      text: '{"error":"Too Many Requests","message":"Rate limit exceeded. Retry in 30 seconds.","retryAfter":30,"limit":100,"policy":"default"}',
      message: "Rate limit exceeded. Retry in 30 seconds.",
    });
  });

  it("is the same for whoever is told the same", () => {
    expect(refusalBody("json", refusal)).toBe(refusalBody("json", { ...refusal }));
  });

  it("tells of each refusal, whatever was told before", () => {
    const some = fc.record({
      status: fc.constantFrom(429, 503),
      policy: fc.constantFrom("default", "daily"),
      limit: fc.constantFrom(100, 5),
      retryAfter: fc.constantFrom(1000, 2000, Number.POSITIVE_INFINITY),
      most: fc.constantFrom(undefined, 5, 7, 100),
      blocked: fc.boolean(),
    });
    const property = fc.property(fc.array(some, { minLength: 2 }), (refusals) => {
      for (const told of refusals) {
        const { error, message, retryAfter, limit, policy } = JSON.parse(
          refusalBody("json", { ...refusal, ...told }).text,
        ) as Record<string, unknown>;
        expect([error, limit, policy, retryAfter]).toEqual([
          told.status === 429 ? "Too Many Requests" : "Service Unavailable",
          told.limit,
          told.policy,
          told.retryAfter === Number.POSITIVE_INFINITY ? undefined : told.retryAfter / 1000,
        ]);
        expect(String(message).startsWith("Blocked.")).toBe(told.blocked);
        const bound = told.most === told.limit ? "limit" : "burst";
        const costly = told.most !== undefined && retryAfter === undefined;
        expect(String(message).endsWith(`more than the ${bound} of ${told.most}.`)).toBe(costly);
      }
    });
    fc.assert(property);
  });

  it("says of whom is blocked that they are", () => {
    const blocked = { ...refusal, blocked: true };
    expect(JSON.parse(refusalBody("json", blocked).text)).toEqual({
      error: "Too Many Requests",
      message: "Blocked. Retry in 30 seconds.",
      retryAfter: 30,
      limit: 100,
      policy: "default",
    });
    expect(JSON.parse(refusalBody("problem", blocked).text)).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#abnormal-usage-detected",
      detail: "Blocked. Retry in 30 seconds.",
      "violated-policies": ["default"],
    });
    expect(JSON.parse(refusalBody("json", { ...never, blocked: true }).text)).toMatchObject({
      message: "Blocked. Waiting does not help.",
    });
  });

  it("is a problem of RFC 9457", () => {
    const { contentType, text } = refusalBody("problem", {
      ...refusal,
      violated: () => ["default", "b"],
    });
    expect(contentType).toBe("application/problem+json");
    expect(JSON.parse(text)).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Too Many Requests",
      status: 429,
      detail: "Rate limit exceeded. Retry in 30 seconds.",
      retryAfter: 30,
      limit: 100,
      policy: "default",
      "violated-policies": ["default", "b"],
    });
  });

  it.each([
    [1, "Rate limit exceeded. Retry in 1 second."],
    [1000, "Rate limit exceeded. Retry in 1 second."],
    [1001, "Rate limit exceeded. Retry in 2 seconds."],
    [1e15, "Rate limit exceeded. Retry in 2147483 seconds."],
  ])("rounds a wait of %d ms up: %s", (retryAfter, message) => {
    const body = JSON.parse(refusalBody("json", { ...refusal, retryAfter }).text);
    expect(body.message).toBe(message);
    expect(message).toContain(` ${body.retryAfter} `);
  });

  it("promises nothing where no wait helps", () => {
    const costly = { ...never, most: 5, limit: 5 };
    for (const [format, member] of [
      ["json", "message"],
      ["problem", "detail"],
    ] as const) {
      const plain = JSON.parse(refusalBody(format, never).text);
      expect(plain).not.toHaveProperty("retryAfter");
      expect(plain[member]).toBe("Rate limit exceeded. Waiting does not help.");
      const told = JSON.parse(refusalBody(format, costly).text);
      expect(told).not.toHaveProperty("retryAfter");
      expect(told[member]).toBe(
        "Rate limit exceeded. Waiting does not help: the request costs more than the limit of 5.",
      );
    }
  });

  it.each([
    [403, "Forbidden"],
    [503, "Service Unavailable"],
    [420, "Too Many Requests"],
    [599, "Too Many Requests"],
  ])("tells status %d as %s", (status, title) => {
    expect(JSON.parse(refusalBody("json", { ...refusal, status }).text).error).toBe(title);
    const problem = JSON.parse(refusalBody("problem", { ...refusal, status }).text);
    expect(problem).toMatchObject({ title, status });
  });

  it("carries any name unharmed", () => {
    const policy = 'a"b\\c\r\n\u2028__proto__';
    const body = refusalBody("problem", { ...refusal, policy, violated: () => [policy] });
    expect(JSON.parse(body.text)).toMatchObject({ policy, "violated-policies": [policy] });
  });
});

describe("outageBody", () => {
  it("never speaks of a limit", () => {
    expect(JSON.parse(outageBody("json", { status: 503 }).text)).toEqual({
      error: "Service Unavailable",
      message: "The rate limiter is unavailable. Try again later.",
    });
    expect(outageBody("json", { status: 503 }).contentType).toBe("application/json; charset=utf-8");
  });

  it("is a problem of RFC 9457", () => {
    const { contentType, text } = outageBody("problem", { status: 503 });
    expect(contentType).toBe("application/problem+json");
    expect(JSON.parse(text)).toEqual({
      type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
      title: "Service Unavailable",
      status: 503,
      detail: "The rate limiter is unavailable. Try again later.",
    });
  });

  it("has words for a status without any", () => {
    expect(JSON.parse(outageBody("json", { status: 599 }).text).error).toBe("Service Unavailable");
  });
});
