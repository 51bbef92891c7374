import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import type { Decision } from "../../decision.ts";
import { outageDecision } from "../../decisions/decided-without-store.ts";
import type { Framework } from "../framework.ts";
import { misleads } from "../headers/misleading-fields.ts";
import type { HeaderPair } from "../headers/rate-headers.ts";
import type { Refusal } from "../verdict.ts";
import { holdFields } from "./held-fields.ts";
import { type RefusalOptions, refuse } from "./refusal.ts";

const refused = {
  allowed: false,
  policy: "default",
  limit: 5,
  remaining: 0,
  retryAfter: 1500,
  reason: "limited",
  statuses: [],
} as unknown as Decision;
const outage = outageDecision("closed", { policy: "default", key: "k", limit: 5 });
const fields: HeaderPair[] = [["X-RateLimit-Limit", "5"]];
const framework = bareFramework() as Framework<unknown>;
const options: RefusalOptions = { status: 429, body: "json", throw: false };

const terms = { options, report: fail };

function refusal(
  decision: Decision,
  given: Partial<RefusalOptions> = {},
  cause?: unknown,
): Refusal {
  const { res } = requestOf();
  return refuse(decision, fields, callTo(res), {
    options: { ...options, ...given },
    cause,
    report: fail,
  }) as Refusal;
}

function fail(error: unknown): never {
  throw error;
}

const callTo = (res: ServerResponse | undefined) => ({ req: "req", res, framework });

describe("refuse", () => {
  it("sets its own fields beside those that are set, and tells them all", () => {
    const { res } = requestOf();
    holdFields(res, fields);
    const told = refuse(refused, fields, callTo(res), terms) as Refusal;
    expect(told.fields).toEqual([
      ["X-RateLimit-Limit", "5"],
      ["Retry-After", "2"],
      ["Cache-Control", "no-store"],
    ]);
    expect(res.getHeaders()).toEqual({
      "retry-after": "2",
      "cache-control": "no-store",
      "x-ratelimit-limit": "5",
    });
  });

  it("keeps out what invites to keep it, also where that is set later", () => {
    const { res } = requestOf();
    res.setHeader("Surrogate-Control", "max-age=9");
    void refuse(refused, fields, callTo(res), terms);
    for (const name of ["ETag", "CDN-Cache-Control", "Fastly-CDN-Cache-Control"]) {
      res.setHeader(name, "max-age=9");
    }
    res.writeHead(429);
    expect(res.getHeaderNames().sort()).toEqual(["cache-control", "retry-after"]);
  });

  it("makes do with a response that only takes fields, as tests make them", () => {
    const set = new Map<string, string>();
    const res = {
      headersSent: false,
      setHeader: (name: string, value: string) => set.set(name, value),
      getHeader: (name: string) => set.get(name),
    };
    const told = refuse(refused, fields, callTo(res as never), terms) as Refusal;
    expect(Object.fromEntries(set)).toEqual({ "Retry-After": "2", "Cache-Control": "no-store" });
    expect(told.status).toBe(429);
  });

  it("needs no response", () => {
    const told = refuse(refused, fields, callTo(undefined), terms) as Refusal;
    expect([told.status, told.fields.length]).toEqual([429, 3]);
  });

  it("touches nothing where the head is sent", () => {
    const { res } = requestOf();
    res.setHeader("ETag", "1");
    res.flushHeaders();
    expect(() => refuse(refused, fields, callTo(res), terms)).not.toThrow();
    expect(res.getHeaders()).toEqual({ etag: "1" });
  });

  it("answers an outage with 503, whatever the status of refusals, and promises no time", () => {
    const told = refusal(outage, { status: 429 });
    expect(told.status).toBe(503);
    expect(told.fields.map(([name]) => name)).not.toContain("Retry-After");
    expect(JSON.parse(told.body.text)).toMatchObject({ error: "Service Unavailable" });
  });

  it("makes an error that carries all of it, where errors are asked for", () => {
    const { error } = refusal(refused, { throw: true, status: 420 });
    expect(error).toMatchObject({
      name: "RateLimitError",
      code: "ERR_RATE_LIMITED",
      status: 420,
      statusCode: 420,
      expose: true,
      message: "Rate limit exceeded. Retry in 2 seconds.",
      headers: { "Retry-After": "2", "Cache-Control": "no-store", "X-RateLimit-Limit": "5" },
      decision: refused,
    });
  });

  it("makes a store's error of an outage, with its cause", () => {
    const cause = new Error("down");
    const { error } = refusal(outage, { throw: true }, cause);
    expect(error).toMatchObject({
      name: "StoreError",
      code: "ERR_STORE_UNAVAILABLE",
      status: 503,
      statusCode: 503,
      cause,
      decision: outage,
    });
  });

  it("takes the message of an error from its body where that has one", () => {
    const message = (body: unknown) =>
      refusal(refused, { throw: true, body: () => body }).error?.message;
    expect(message({ message: "Slow" })).toBe("Slow");
    expect(message({ detail: "Slower" })).toBe("Slower");
    expect(message("Slow, please")).toBe("Slow, please");
    for (const body of [{ message: 7 }, null, 5, [], ""]) {
      expect(message(body)).toBe("Rate limit exceeded.");
    }
    const unavailable = (body: unknown) =>
      refusal(outage, { throw: true, body: () => body }).error?.message;
    expect([unavailable("x"), unavailable("")]).toEqual(["x", "The rate limiter is unavailable."]);
  });

  it.each([
    ["undefined", () => undefined],
    ["undefined, later", async () => undefined],
    ["a function", () => () => 1],
    ["a symbol", () => Symbol("x")],
  ])("writes the usual body where a function answers %s, and reports it", async (_what, body) => {
    const report = vi.fn();
    const { res } = requestOf();
    const told = await refuse(refused, [], callTo(res), {
      ...terms,
      options: { ...options, body },
      report,
    });
    expect(JSON.parse(told.body.text)).toMatchObject({ error: "Too Many Requests" });
    expect(report).toHaveBeenCalledOnce();
    const [error] = report.mock.calls[0]!;
    expect(error).toMatchObject({ code: "ERR_INVALID_CONFIG", issues: [{ path: "body" }] });
  });

  it("writes what a function answers, now or later", async () => {
    const body = async (decision: Decision, req: unknown) => ({ wait: decision.retryAfter, req });
    const { res } = requestOf();
    const told = await refuse(refused, [], callTo(res), {
      ...terms,
      options: { ...options, body },
    });
    expect(told.body).toEqual({
      contentType: "application/json; charset=utf-8",
      text: '{"wait":1500,"req":"req"}',
    });
  });
});

describe("misleads", () => {
  it.each([
    ["etag", true],
    ["last-modified", true],
    ["expires", true],
    ["content-length", true],
    ["content-encoding", true],
    ["cdn-cache-control", true],
    ["cloudflare-cdn-cache-control", true],
    ["surrogate-control", true],
    ["edge-control", true],
    ["akamai-cache-control", true],
    ["x-litespeed-cache-control", true],
    ["x-accel-expires", true],
    ["content-digest", true],
    ["repr-digest", true],
    ["content-md5", true],
    ["content-location", true],
    ["x-accel-redirect", true],
    ["x-sendfile", true],
    ["cache-control", false],
    ["content-type", false],
    ["vary", false],
    ["set-cookie", false],
    ["access-control-allow-origin", false],
    ["x-cdn-cache-controls", false],
  ])("%s: %s", (name, misleading) => {
    expect(misleads(name)).toBe(misleading);
  });
});
