import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of what a client sees of admitted requests, and when they are admitted. */
export function admission(define: Define): void {
  define("lets the handler answer, with the legacy headers beside its own", async ({ serve }) => {
    const handler = { status: 201, headers: { "X-Own": "kept", ETag: '"1"' }, body: "made" };
    const site = await serve(perMinute(3), { routes: { "GET /": handler } });
    const answer = await site.get();
    assert.equal(answer.status, 201);
    assert.equal(answer.text, "made");
    assert.equal(answer.headers["x-own"], "kept");
    assert.equal(answer.headers.etag, '"1"');
    assert.deepEqual(answer.lines("x-ratelimit-limit"), ["3"]);
    assert.deepEqual(answer.lines("x-ratelimit-remaining"), ["2"]);
    assert.deepEqual(answer.lines("x-ratelimit-reset"), ["1700006460"]);
    assert.deepEqual(answer.lines("retry-after"), []);
    assert.deepEqual(answer.lines("ratelimit"), []);
  });

  define("leaves the caching of an allowed answer to the application", async ({ serve }) => {
    const before = { "Cache-Control": "public, max-age=300", "Last-Modified": "yesterday" };
    const site = await serve(perMinute(1), { before });
    const { headers } = await site.get();
    assert.equal(headers["cache-control"], before["Cache-Control"]);
    assert.equal(headers["last-modified"], before["Last-Modified"]);
  });

  define("counts down, refuses, and starts anew with the window", async ({ serve, clock }) => {
    const site = await serve(perMinute(2));
    const remaining = async (): Promise<string> => {
      const { status, headers } = await site.get();
      return `${status} ${headers["x-ratelimit-remaining"]}`;
    };
    const seen = [await remaining(), await remaining(), await remaining(), await remaining()];
    assert.deepEqual(seen, ["200 1", "200 0", "429 0", "429 0"]);
    clock.advance(59_999);
    assert.equal(await remaining(), "429 0");
    clock.advance(1);
    assert.equal(await remaining(), "200 1");
  });

  define("lets a client pass that waits as it was told, by every algorithm", async (tools) => {
    for (const algorithm of ["sliding-window", "sliding-log", "token-bucket"] as const) {
      const site = await tools.serve({ limit: 3, window: "7s", algorithm, name: algorithm });
      assert.deepEqual(await site.statuses(["/", "/", "/", "/"]), [200, 200, 200, 429]);
      const { headers } = await site.get();
      const told = Number(headers["retry-after"]) * 1000;
      assert.ok(told >= 1000);
      tools.clock.advance(told);
      assert.equal((await site.get()).status, 200, algorithm);
    }
  });

  define("admits exactly the limit of a burst", async ({ serve }) => {
    const handler = counted();
    const site = await serve(perMinute(7), { routes: { "GET /": handler } });
    const answers = await Promise.all(Array.from({ length: 15 }, () => site.get()));
    assert.equal(answers.filter(({ status }) => status === 200).length, 7);
    assert.equal(answers.filter(({ status }) => status === 429).length, 8);
    assert.equal(handler.decisions.length, 7);
  });

  define("never runs the handler of a refused request", async ({ serve }) => {
    const handler = counted();
    const site = await serve(perMinute(1), { routes: { "GET /": handler } });
    await site.statuses(["/", "/", "/"]);
    assert.equal(handler.decisions.length, 1);
  });

  define("refuses everything with a limit of 0", async ({ serve }) => {
    const handler = counted();
    const site = await serve(perMinute(0), { routes: { "GET /": handler } });
    const answer = await site.get();
    assert.equal(answer.status, 429);
    assert.equal(answer.headers["x-ratelimit-limit"], "0");
    assert.equal(answer.headers["x-ratelimit-remaining"], "0");
    assert.equal(handler.decisions.length, 0);
  });

  define("limits paths that no route matches", async ({ serve }) => {
    const site = await serve(perMinute(2));
    const answers = [await site.get("/nope"), await site.get("/nope"), await site.get("/nope")];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers["x-ratelimit-remaining"]]),
      [
        [404, "1"],
        [404, "0"],
        [429, "0"],
      ],
    );
    assert.equal((await site.get("/")).status, 429);
  });

  define("charges HEAD as it charges GET, and refuses it without a body", async ({ serve }) => {
    const routes = { "GET /": {}, "HEAD /": {} };
    const site = await serve(perMinute(3), { routes });
    const remaining: unknown[] = [];
    for (const method of ["GET", "HEAD", "GET"]) {
      remaining.push((await site.get("/", { method })).headers["x-ratelimit-remaining"]);
    }
    assert.deepEqual(remaining, ["2", "1", "0"]);
    const head = await site.get("/", { method: "HEAD" });
    assert.equal(head.status, 429);
    assert.equal(head.text, "");
    assert.deepEqual(head.lines("retry-after"), ["60"]);
    assert.equal(head.headers["x-ratelimit-remaining"], "0");
  });

  define("charges a request once, however often its limiter is mounted", async ({ serve }) => {
    const site = await serve(perMinute(2), { times: 2 });
    const answers = [await site.get(), await site.get(), await site.get()];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers["x-ratelimit-remaining"]]),
      [
        [200, "1"],
        [200, "0"],
        [429, "0"],
      ],
    );
  });
}
