import { assert } from "../assert.ts";
import type { Answer } from "./answer.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of the header styles, and that nobody's fields are lost or duplicated. */
export function fields(define: Define): void {
  define("writes every style, on a pass and on a refusal", async ({ serve, clock }) => {
    clock.advance(15_000);
    const rows = {
      legacy: [
        ["x-ratelimit-limit=2", "x-ratelimit-remaining=1", "x-ratelimit-reset=1700006460"],
        ["x-ratelimit-limit=2", "x-ratelimit-remaining=0", "x-ratelimit-reset=1700006460"],
      ],
      "draft-6": [
        [
          "ratelimit-limit=2",
          "ratelimit-policy=2;w=60",
          "ratelimit-remaining=1",
          "ratelimit-reset=45",
        ],
        [
          "ratelimit-limit=2",
          "ratelimit-policy=2;w=60",
          "ratelimit-remaining=0",
          "ratelimit-reset=45",
        ],
      ],
      "draft-7": [
        ["ratelimit=limit=2, remaining=1, reset=45", "ratelimit-policy=2;w=60"],
        ["ratelimit=limit=2, remaining=0, reset=45", "ratelimit-policy=2;w=60"],
      ],
      "draft-8": [
        ['ratelimit="draft-8";r=1;t=45', 'ratelimit-policy="draft-8";q=2;w=60'],
        ['ratelimit="draft-8";r=0;t=45', 'ratelimit-policy="draft-8";q=2;w=60'],
      ],
    } as const;
    for (const headers of Object.keys(rows) as (keyof typeof rows)[]) {
      const site = await serve({ ...perMinute(2), name: headers, headers });
      const [first, , third] = [await site.get(), await site.get(), await site.get()];
      assert.deepEqual([rated(first), rated(third)], rows[headers]);
      assert.deepEqual(third.lines("retry-after"), ["45"]);
    }
  });

  define("writes several styles at once", async ({ serve }) => {
    const site = await serve({ ...perMinute(2), headers: ["legacy", "draft-8"] });
    assert.deepEqual(rated(await site.get()), [
      'ratelimit="default";r=1;t=60',
      'ratelimit-policy="default";q=2;w=60',
      "x-ratelimit-limit=2",
      "x-ratelimit-remaining=1",
      "x-ratelimit-reset=1700006460",
    ]);
  });

  define("counts the legacy reset from now where it is asked to", async ({ serve, clock }) => {
    const site = await serve({ ...perMinute(2), reset: "delta" });
    clock.advance(500);
    assert.equal((await site.get()).headers["x-ratelimit-reset"], "60");
  });

  define("writes no rate headers where there shall be none", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), headers: false });
    assert.deepEqual(rated(await site.get()), []);
    const refused = await site.get();
    assert.equal(refused.status, 429);
    assert.deepEqual(rated(refused), []);
    assert.deepEqual(refused.lines("retry-after"), ["60"]);
    assert.deepEqual(refused.lines("cache-control"), ["no-store"]);
  });

  define("quotes the names of policies", async ({ serve }) => {
    const site = await serve({ ...perMinute(2), name: 'a "b" \\c, d;e', headers: "draft-8" });
    const { headers } = await site.get();
    assert.equal(headers["ratelimit-policy"], '"a \\"b\\" \\\\c, d;e";q=2;w=60');
  });

  define("keeps its fields when a handler fails", async ({ serve }) => {
    const fails = (): Error => new Error("broken");
    const site = await serve(perMinute(3), { routes: { "GET /": { fails } } });
    const answer = await site.get();
    assert.equal(answer.status, 500);
    assert.deepEqual(rated(answer), legacy(3, 2));
    assert.doesNotMatch(answer.text, /Rate limit/);
  });

  define("keeps its fields when error handling wipes all of them", async ({ serve }) => {
    const fails = (): Error => new Error("broken");
    const site = await serve(
      { ...perMinute(1), exposeHeaders: true },
      {
        routes: { "GET /": { fails } },
        onError: () => ({ status: 418, body: "wiped" }),
      },
    );
    const answer = await site.get();
    assert.equal(answer.status, 418);
    assert.equal(answer.text, "wiped");
    assert.deepEqual(rated(answer), legacy(1, 0));
    assert.match(answer.headers["access-control-expose-headers"] ?? "", /X-RateLimit-Limit/);
  });

  define("says its own numbers where an upstream said others, once", async ({ serve }) => {
    const upstream = {
      "X-RateLimit-Limit": "5000",
      "x-ratelimit-remaining": "5",
      "Retry-After": "9",
    };
    const site = await serve(perMinute(2), { routes: { "GET /": { headers: upstream } } });
    const answer = await site.get();
    assert.deepEqual(rated(answer), legacy(2, 1));
    assert.deepEqual(answer.lines("retry-after"), ["9"]);
  });

  define("sends its fields with the head of a stream", async ({ serve }) => {
    const routes = { "GET /": { open: true, body: "data: 1\n\n" } };
    const site = await serve(perMinute(2), { routes });
    const exchange = site.start();
    const head = await exchange.head;
    assert.equal(head.statusCode, 200);
    assert.equal(head.headers["x-ratelimit-remaining"], "1");
    exchange.leave();
    await exchange.over;
  });
}

/** Returns the rate headers of a response, one line each, by name. */
export function rated(answer: Answer): string[] {
  const names = Object.keys(answer.headers).filter((name) => /^(x-)?ratelimit/.test(name));
  return names.sort().flatMap((name) => answer.lines(name).map((value) => `${name}=${value}`));
}

/** Returns the legacy headers of a policy in the suite's first minute. */
export function legacy(limit: number, remaining: number): string[] {
  return [
    `x-ratelimit-limit=${limit}`,
    `x-ratelimit-remaining=${remaining}`,
    "x-ratelimit-reset=1700006460",
  ];
}
