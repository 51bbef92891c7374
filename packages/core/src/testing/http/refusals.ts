import type { IncomingMessage } from "node:http";
import type { Decision } from "../../decision.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of what a client sees of a refusal: status, fields and body. */
export function refusals(define: Define): void {
  define("refuses with the documented status, fields and body", async ({ serve, clock }) => {
    const site = await serve(perMinute(1));
    await site.get();
    clock.advance(30_001);
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.lines("retry-after"), ["30"]);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
    assert.deepEqual(answer.lines("x-ratelimit-limit"), ["1"]);
    assert.deepEqual(answer.lines("x-ratelimit-remaining"), ["0"]);
    assert.deepEqual(answer.lines("x-ratelimit-reset"), ["1700006460"]);
    assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
    assert.equal(answer.lines("content-length")[0], String(Buffer.byteLength(answer.text)));
    assert.deepEqual(answer.json(), {
      error: "Too Many Requests",
      message: "Rate limit exceeded. Retry in 30 seconds.",
      retryAfter: 30,
      limit: 1,
      policy: "default",
    });
  });

  define("lets no cache keep a refusal, whatever was said before", async ({ serve }) => {
    const site = await serve(perMinute(1), {
      before: {
        "Cache-Control": "public, max-age=300",
        "CDN-Cache-Control": "max-age=600",
        "Surrogate-Control": "max-age=600",
        "Vercel-CDN-Cache-Control": "max-age=600",
        ETag: '"earlier"',
        "Last-Modified": "Wed, 15 Nov 2023 00:00:00 GMT",
        Expires: "Wed, 15 Nov 2033 00:00:00 GMT",
      },
    });
    await site.get();
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
    for (const name of ["etag", "last-modified", "expires", "cdn-cache-control"]) {
      assert.deepEqual(answer.lines(name), [], name);
    }
    assert.deepEqual(answer.lines("surrogate-control"), []);
    assert.deepEqual(answer.lines("vercel-cdn-cache-control"), []);
  });

  define("sends a body of its own, whatever was said about another", async ({ serve }) => {
    const site = await serve(perMinute(0), {
      before: { "Content-Encoding": "br", "Content-Language": "de", "Content-Type": "text/html" },
    });
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.lines("content-encoding"), []);
    assert.deepEqual(answer.lines("content-language"), []);
    assert.deepEqual(answer.lines("content-type").length, 1);
    assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
    assert.equal(answer.json().policy, "default");
  });

  define("keeps what CORS and others set before", async ({ serve }) => {
    const before = {
      "Access-Control-Allow-Origin": "https://shop.example",
      "Access-Control-Allow-Credentials": "true",
      Vary: "Origin",
      "Strict-Transport-Security": "max-age=1",
    };
    const site = await serve(perMinute(0), { before });
    const { status, headers } = await site.get();
    assert.equal(status, 429);
    for (const [name, value] of Object.entries(before)) {
      assert.equal(headers[name.toLowerCase()], value);
    }
  });

  define("appends to the fields that a browser's script may read, once", async ({ serve }) => {
    const before = { "Access-Control-Expose-Headers": "X-Total, Retry-After" };
    const site = await serve({ ...perMinute(1), exposeHeaders: true }, { before, times: 2 });
    const names =
      "X-Total, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";
    for (const status of [200, 429]) {
      const answer = await site.get();
      assert.equal(answer.status, status);
      assert.deepEqual(answer.lines("access-control-expose-headers"), [names]);
    }
  });

  define("exposes the wait of a refusal where there are no rate headers", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), exposeHeaders: true, headers: false });
    assert.deepEqual((await site.get()).lines("access-control-expose-headers"), []);
    assert.deepEqual((await site.get()).lines("access-control-expose-headers"), ["Retry-After"]);
  });

  define("refuses with the status of the options", async ({ serve }) => {
    for (const [status, error] of [
      [503, "Service Unavailable"],
      [420, "Too Many Requests"],
    ] as const) {
      const site = await serve({ ...perMinute(0), name: `with ${status}`, status });
      const answer = await site.get();
      assert.equal(answer.status, status);
      assert.equal(answer.json().error, error);
    }
  });

  define("describes a refusal as a problem", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), body: "problem" });
    await site.get();
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.match(answer.headers["content-type"] ?? "", /^application\/problem\+json/);
    assert.deepEqual(answer.json(), {
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Too Many Requests",
      status: 429,
      detail: "Rate limit exceeded. Retry in 60 seconds.",
      retryAfter: 60,
      limit: 1,
      policy: "default",
      "violated-policies": ["default"],
    });
  });

  define("sends what a function makes of the decision and the request", async ({ serve }) => {
    const bodies = {
      object: (decision: Decision) => ({ wait: decision.retryAfter }),
      text: () => "<Slow down>",
      later: async (_: Decision, { url }: IncomingMessage) => ({ url }),
    };
    const seen: unknown[] = [];
    for (const [name, body] of Object.entries(bodies)) {
      const site = await serve({ ...perMinute(1), name, body });
      await site.get();
      const { status, headers, text } = await site.get();
      seen.push([status, headers["content-type"]?.split(";")[0], text]);
    }
    assert.deepEqual(seen, [
      [429, "application/json", '{"wait":60000}'],
      [429, "text/plain", "<Slow down>"],
      [429, "application/json", '{"url":"/"}'],
    ]);
  });

  define(
    "sends its own body where that of the options cannot be made, and reports why",
    async (t) => {
      const errors: unknown[] = [];
      for (const body of [
        () => {
          throw new Error("no body");
        },
        () => Promise.reject(new Error("no body")),
        () => ({ amount: 1n }),
      ]) {
        const handler = counted();
        const onError = (error: unknown) => errors.push(error);
        const options = { ...perMinute(0), body, onError };
        const site = await t.serve(options, { routes: { "GET /": handler } });
        const { status, text } = await site.get();
        assert.equal(status, 429);
        assert.equal(JSON.parse(text).error, "Too Many Requests");
        assert.equal(handler.decisions.length, 0);
      }
      const told = errors.map((error) => (error as Error).message);
      assert.deepEqual(told.slice(0, 2), ["no body", "no body"]);
      assert.match(told[2]!, /BigInt/);
    },
  );

  define("hands refusals to error handling where it is asked to", async ({ serve }) => {
    const errors: unknown[] = [];
    const site = await serve(
      { ...perMinute(1), throw: true },
      {
        onError(error) {
          errors.push(error);
          return { status: (error as { status: number }).status, body: "mine" };
        },
      },
    );
    assert.equal((await site.get()).status, 200);
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.equal(answer.text, "mine");
    assert.deepEqual(answer.lines("retry-after"), ["60"]);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
    assert.deepEqual(answer.lines("x-ratelimit-remaining"), ["0"]);
    assert.equal(errors.length, 1);
    const error = errors[0] as Error & Record<string, unknown>;
    assert.ok(error instanceof Error);
    assert.equal(error.code, "ERR_RATE_LIMITED");
    assert.deepEqual([error.status, error.statusCode, error.expose], [429, 429, true]);
    assert.equal(error.message, "Rate limit exceeded. Retry in 60 seconds.");
    assert.equal((error.decision as Decision).reason, "limited");
    assert.equal(error.retryAfter, 60_000);
  });

  define("is answered by a framework's own error handling too", async ({ serve }) => {
    const site = await serve({ ...perMinute(0), throw: true });
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.lines("x-ratelimit-limit"), ["0"]);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
  });

  define("gives the error that is thrown the text of its body", async ({ serve }) => {
    const messages: string[] = [];
    const site = await serve(
      {
        ...perMinute(0),
        throw: true,
        body: (_, { headers }) =>
          headers["x-as"] === "json" ? { message: "Slower" } : headers["x-as"],
      },
      {
        onError(error) {
          messages.push((error as Error).message);
          return { status: 429, body: "mine" };
        },
      },
    );
    for (const as of ["Slow down", "json", ""]) await site.get("/", { headers: { "x-as": as } });
    assert.deepEqual(messages, ["Slow down", "Slower", "Rate limit exceeded."]);
  });

  define("promises no wait that does not help", async ({ serve }) => {
    const handler = counted();
    const cost = 6;
    const site = await serve(
      { ...perMinute(5), cost: ({ headers }) => Number(headers["x-cost"] ?? cost) },
      { routes: { "GET /": handler } },
    );
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.lines("retry-after"), []);
    assert.equal(answer.json().retryAfter, undefined);
    assert.match(String(answer.json().message), /Waiting does not help/);
    assert.equal(handler.decisions.length, 0);
    const next = await site.get("/", { headers: { "x-cost": "1" } });
    assert.equal(next.headers["x-ratelimit-remaining"], "4");
  });

  define("says no wait that a client's timer cannot hold", async ({ serve }) => {
    const site = await serve({ limit: 1, window: "365d", algorithm: "fixed-window" });
    await site.get();
    const answer = await site.get();
    assert.deepEqual(answer.lines("retry-after"), ["2147483"]);
    assert.equal(answer.json().retryAfter, 2_147_483);
  });

  define("says a wait of at least a second", async ({ serve }) => {
    const site = await serve({ limit: 1, window: 5, algorithm: "fixed-window" });
    await site.get();
    assert.deepEqual((await site.get()).lines("retry-after"), ["1"]);
  });
}
