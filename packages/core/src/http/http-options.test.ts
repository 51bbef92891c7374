import { describe, expect, it } from "vitest";
import { checkHttpOptions } from "./http-options.ts";

const check = (options: object) => () =>
  checkHttpOptions({ limit: 1, window: "1m", ...options } as never);

describe("the options of a limiter for HTTP", () => {
  it.each([
    ["handler", "body"],
    ["requestWasSuccessful", "refund: (status, req) => …, or count likewise"],
    ["skipSuccessfulRequests", 'refund: "successful"'],
    ["skipFailedRequests", 'refund: "failed"'],
    ["keyGenerator", "key"],
    ["windowMs", "window"],
    ["max", "limit"],
    ["timeWindow", "window"],
    ["points", "limit"],
    ["duration", "window"],
    ["blockDuration", "ban: { for }"],
    ["inMemoryBlockDuration", "store: denyCache(store)"],
    ["onExceeded", "onRefused"],
    ["allowList", "allow"],
    ["whitelist", "allow"],
    ["blacklist", "deny"],
    ["standardHeaders", "headers"],
    ["legacyHeaders", "headers"],
    ["enableDraftSpec", "headers"],
    ["errorResponseBuilder", "body"],
    ["id", "key"],
    ["onLimit", "onRefused"],
    ["redis", "store: redisStore(client)"],
    ["cache", "store: memoryStore({ maxKeys })"],
    ["groupId", "name"],
    ["global", 'rules: [{ name: "none", unlimited: true }] with matching: "first"'],
    ["nameSpace", "store: redisStore(client, { prefix })"],
  ])("tell what %s of other libraries is here", (name, here) => {
    expect(check({ [name]: 1 })).toThrow(
      `${name}: expected a known option (did you mean ${here}?)`,
    );
  });

  it.each([
    [{ headers: "gihub" }, "github"],
    [{ headers: ["draft-8", "gihub"] }, "github"],
    [{ action: "dely" }, "delay"],
    [{ algorithm: "slidingwindow" }, "sliding-window"],
    [{ unidentified: "Skip" }, "skip"],
  ])("tell which value was meant: %j", (options, meant) => {
    expect(check(options)).toThrow(`(did you mean "${meant}"?)`);
  });

  it.each([
    [{ action: "no" }],
    [{ action: 7 }],
    [{ headers: "nothing-like-it" }],
    [{ algorithm: "gcra" }],
  ])("tell none where none is close: %j", (options) => {
    expect(check(options)).toThrow(/: expected (?!.*did you mean)/);
  });
});
