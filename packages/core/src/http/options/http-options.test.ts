import { describe, expect, it } from "vitest";
import { memoryStore } from "../../memory-store.ts";
import { overHttp } from "../../options/over-http.ts";
import { apiKey } from "../identity/api-key.ts";
import { header, ip, user } from "../identity/extractors.ts";
import { checkHttpOptions } from "./http-options.ts";
import { httpPolicyShape, httpSharedShape } from "./http-schemas.ts";

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
    ["duration", 'window, in milliseconds or as "60s"'],
    ["blockDuration", 'ban: { for: "900s" }, with a unit or in milliseconds'],
    ["exponentialBackoff", "ban: { for, factor, extend: true }"],
    ["message", 'body: () => "…"'],
    ["errorMessage", 'body: () => "…"'],
    ["inMemoryBlockDuration", "store: denyCache(store)"],
    ["onExceeded", "onRefused"],
    ["allowList", "allow"],
    ["whitelist", "allow"],
    ["blacklist", "deny"],
    ["standardHeaders", 'headers: "draft-6", or the draft that it names'],
    ["legacyHeaders", 'headers: "legacy", or false for none'],
    ["enableDraftSpec", 'headers: "draft-6"'],
    ["skipOnError", 'onStoreError: "open", which is the default'],
    ["plan", "tier"],
    ["rate", "limit"],
    ["tz", "timeZone"],
    ["dryRun", "shadow: true"],
    ["allowlist", "allow"],
    ["keyPrefix", "name, or store: redisStore(client, { prefix })"],
    ["errorResponseBuilder", "body"],
    ["id", "key"],
    ["onLimit", "onRefused"],
    ["redis", "store: redisStore(client)"],
    ["cache", "store: memoryStore({ maxKeys })"],
    ["groupId", "name"],
    ["global", 'rules: [{ name: "none", unlimited: true }] with matching: "first"'],
    ["nameSpace", "store: redisStore(client, { prefix })"],
    ["namespace", "store: redisStore(client, { prefix })"],
    ["onLimited", "onRefused"],
    ["logger", "onError and onWarning"],
    ["validate", "onWarning: () => {}, to hear of nothing that looks unsafe"],
    ["requestPropertyName", "onDecision: (decision, req) => …, to put it elsewhere"],
  ])("tell what %s of other libraries is here", (name, here) => {
    expect(check({ [name]: 1 })).toThrow(
      `${name}: expected a known option (did you mean ${here}?)`,
    );
  });

  it.each<[trustProxy: unknown, says: string]>([
    [
      { header: "x real ip" },
      "trustProxy.header: expected the name of a header field with one address",
    ],
    [{}, "trustProxy.header: expected the name of a header field with one address"],
    [{ header: "X-Real-IP", from: true }, 'trustProxy.from: expected "auto", 1 for whoever'],
    [{ header: "X-Real-IP", from: 2 }, 'trustProxy.from: expected "auto", 1 for whoever'],
    [{ header: "X-Real-IP", from: ["10.0.0.0/40"] }, "trustProxy.from[0]: expected an address"],
    [{ header: "X-Real-IP", hops: 1 }, "trustProxy.hops: expected a known option: header or from"],
    [
      { headers: "X-Real-IP" },
      "trustProxy.headers: expected a known option (did you mean header?)",
    ],
    [{ header: "X-Forwarded-For" }, "(of a list of addresses: how many proxies stand in front"],
    [{ header: "Forwarded" }, "(of a list of addresses: how many proxies stand in front"],
    [new Set(["loopback"]), "another header than X-Forwarded-For, received an instance of Set"],
    ["X-Real-IP", "or { header } for another header than X-Forwarded-For"],
    [true, "(how many proxies stand in front, such as 1)"],
  ])("refuse trustProxy %j", (trustProxy, says) => {
    expect(check({ trustProxy })).toThrow(says);
  });

  it("take a header by name, of whose word counts", () => {
    for (const from of [undefined, "auto", 1, ["loopback", "203.0.113.0/24"]]) {
      expect(check({ trustProxy: { header: "X-Real-IP", from } })).not.toThrow();
    }
  });

  it.each([
    [{ headers: "gihub" }, "github"],
    [{ headers: ["draft-8", "gihub"] }, "github"],
    [{ headers: "draft-9" }, "draft-8"],
    [{ headers: ["legacy", "draft-10"] }, "draft-8"],
    [{ headers: "draft-11" }, "draft-8"],
    [{ action: "dely" }, "delay"],
    [{ algorithm: "slidingwindow" }, "sliding-window"],
    [{ algorithm: "sliding-window-log" }, "sliding-log"],
    [{ algorithm: "sliding-window-counter" }, "sliding-window"],
    [{ algorithm: "leaky" }, "leaky-bucket"],
    [{ algorithm: "gcra" }, "token-bucket"],
    [{ onStoreError: "allow" }, "open"],
    [{ unidentified: "Skip" }, "skip"],
  ])("tell which value was meant: %j", (options, meant) => {
    expect(check(options)).toThrow(`(did you mean "${meant}"?)`);
  });

  it("say of what stands beside a source where it belongs", () => {
    const source = { current: { limit: 1, window: "1m" }, subscribe: () => () => {} };
    const check = () => checkHttpOptions({ source, limit: 5, key: ip(), status: 420 } as never);
    const expected = "nothing: beside source, it stands in what that says";
    expect(check).toThrow(`limit: expected ${expected}, received 5; key: expected ${expected}`);
    expect(check).not.toThrow("status");
  });

  it.each<[options: object, hint: string]>([
    [{ key: ip }, "(call it: ip()), received a function ip"],
    [{ key: [apiKey(), user] }, "key[1]: expected an extractor such as ip(), or a function (call"],
    [{ key: header }, "(call it: header(…)), received a function header"],
    [{ key: "ip" }, '(call it: ip()), received "ip"'],
    [{ key: "x-api-key" }, '(of a header field: header("…"); the same for all: everyone())'],
    [{ body: "Slow down" }, '(of an answer of your own: () => …), received "Slow down"'],
    [{ body: { error: "Slow down" } }, "(of an answer of your own: () => …), received an object"],
    [{ trustProxy: true }, "(how many proxies stand in front, such as 1), received true"],
    [{ trustProxy: "10.0.0.0/8" }, '(in a list: ["10.0.0.0/8"]), received'],
    [{ count: 401 }, "(in a list: [401]), received 401"],
    [{ resetOn: "2xx" }, '(in a list: ["2xx"]), received "2xx"'],
    [{ allow: "10.0.0.1" }, '(in a list: ["10.0.0.1"]), received'],
    [{ deny: () => true }, "(in a list: [{ when: … }]), received a function"],
    [{ store: memoryStore }, "(call what makes it, such as memoryStore()), received a function"],
    [{ ban: { for: 1, status: 200 } }, "ban.status: expected an HTTP status from 400 to 599, rec"],
    [{ ban: { for: 1, body: "xml" } }, 'ban.body: expected "json", "problem" or a function (of'],
    [{ window: "1M" }, '("m" is a minute, and "month" one of the calendar), received "1M"'],
    [{ window: Object.create(null) }, "or a function, received an object"],
    [{ window: ["M"] }, "or a function, received an array of 1"],
    [{ window: "2 months" }, '("m" is a minute, and "month" one of the calendar), received'],
    [{ window: "Day" }, '(did you mean "day"?), received "Day"'],
    [{ window: "Month" }, '(did you mean "month"?), received "Month"'],
    [{ window: "1 day" }, '(did you mean "1d"?), received "1 day"'],
    [{ ban: { for: "month" } }, '"1h" or "1d", received "month"'],
    [{ body: "Json" }, '(did you mean "json"?), received "Json"'],
    [{ body: Promise.resolve("json") }, "or a function, received a promise: await it first"],
    [{ limit: Infinity }, "(of no limit: skip, or a rule with unlimited: true), received Infinity"],
    [{ nearLimit: 80 }, "(did you mean 0.8?), received 80"],
    [{ onStoreError: "fail-closed" }, '(did you mean "closed"?), received "fail-closed"'],
    [{ count: "failures" }, '(did you mean "failed"?), received "failures"'],
    [{ ban: { for: "1 hour" } }, '(did you mean "1h"?), received "1 hour"'],
    [{ headers: { total: "X" } }, "headers.total: expected a known option (did you mean limit?)"],
    [{ maxHeld: "5" }, "(convert it: Number(…)), received"],
    [{ ipv6Prefix: "64" }, "(convert it: Number(…)), received"],
    [{ action: "delay", maxDelay: "10" }, '(a string needs a unit: "10s"), received'],
    [{ ban: { duration: 900 } }, '(did you mean for, in milliseconds or as "900s"?), received'],
  ])("say what to write instead: %j", (options, hint) => {
    expect(check(options)).toThrow(hint);
  });

  it.each<[what: string, given: object, told: string]>([
    [
      "a promise of them",
      Promise.resolve({ limit: 1, window: "1m" }),
      "options: expected an object, received a promise: await it first",
    ],
    ["a request", { method: "GET", url: "/", headers: {} }, "it is called once with them"],
    [
      "an instance of Fastify",
      { register() {}, addHook() {}, decorate() {} },
      'options: expected the options of a limit, such as { limit: 100, window: "1m" }, received an instance of Fastify',
    ],
  ])("are not %s", (_, given, told) => {
    expect(() => checkHttpOptions(given as never)).toThrow(told);
  });

  it("are known by those who make a limiter without HTTP", () => {
    expect(overHttp.toSorted()).toEqual(
      [...Object.keys(httpPolicyShape), ...Object.keys(httpSharedShape)].toSorted(),
    );
  });

  it.each([
    [{ action: "no" }],
    [{ action: 7 }],
    [{ headers: "nothing-like-it" }],
    [{ algorithm: "sliding" }],
    [{ onStoreError: "else" }],
  ])("tell none where none is close: %j", (options) => {
    expect(check(options)).toThrow(/: expected (?!.*did you mean)/);
  });
});
