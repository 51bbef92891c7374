import { describe, expect, it } from "vitest";
import { bareSite, clock, minute } from "./bare-site.ts";

describe("B92", () => {
  it("answers whom it blocks as the ban says, and others as the limiter does", async () => {
    const ban = { after: 2, for: "10m", status: 403 } as const;
    const site = await bareSite({ ...minute, name: "login", limit: 1, ban });
    expect(await site.statuses(["/", "/"])).toEqual([200, 429]);
    const { status, headers, json } = await site.get();
    expect(status).toBe(403);
    expect(headers).toMatchObject({
      "retry-after": "600",
      "x-ratelimit-remaining": "0",
      "cache-control": "no-store",
    });
    expect(json()).toEqual({
      error: "Forbidden",
      message: "Blocked. Retry in 600 seconds.",
      retryAfter: 600,
      limit: 1,
      policy: "login",
    });
    clock.advance(600_000);
    expect(await site.statuses(["/", "/", "/"])).toEqual([200, 429, 403]);
  });

  it("writes a body of the ban's own, or as a problem", async () => {
    const told = await bareSite({
      ...minute,
      limit: 0,
      ban: { for: "1h", body: ({ reason, retryAfter }) => ({ reason, never: retryAfter > 3.6e6 }) },
    });
    expect((await told.get()).json()).toEqual({ reason: "blocked", never: true });
    const site = await bareSite({ ...minute, limit: 1, ban: { for: "1h", body: "problem" } });
    await site.get();
    const answer = await site.get();
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      429,
      "application/problem+json",
    ]);
    expect(answer.json()).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#abnormal-usage-detected",
      detail: "Blocked. Retry in 3600 seconds.",
      "violated-policies": ["default"],
    });
  });

  it("bans the address of whoever invents an API key per request", async () => {
    const site = await bareSite({ ...minute, limit: 1, unverifiedCeiling: 3, ban: { for: "1h" } });
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await site.get("/", {
        headers: { "x-api-key": `invented ${i}` },
      });
      statuses.push([status, headers["retry-after"]]);
    }
    expect(statuses).toEqual([...Array(3).fill([200, undefined]), ...Array(2).fill([429, "3600"])]);
  });
});
