import type { Decision } from "../../decision.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";

/** Defines tests of requests that a leaky bucket holds until their turn. */
export function holding(define: Define): void {
  define("holds a request until its turn, and answers it then", async ({ serve }) => {
    const handler = counted();
    const site = await serve(
      { limit: 1, window: 20, algorithm: "leaky-bucket", burst: 3 },
      { routes: { "GET /": handler } },
    );
    const answers = await Promise.all([site.get(), site.get(), site.get(), site.get()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 429]);
    assert.deepEqual(
      (handler.decisions as Decision[]).map(({ delay }) => delay),
      [0, 20, 40],
    );
  });

  define("holds nobody where it is told to meter only", async ({ serve }) => {
    const handler = counted();
    const site = await serve(
      { limit: 1, window: "1h", algorithm: "leaky-bucket", burst: 2, delay: false },
      { routes: { "GET /": handler } },
    );
    assert.deepEqual(await site.statuses(["/", "/", "/"]), [200, 200, 429]);
    assert.deepEqual(
      (handler.decisions as Decision[]).map(({ delay }) => delay),
      [0, 0],
    );
  });

  define("never runs the handler of a held client that went away", async ({ serve }) => {
    for (const [refund, left] of [
      [undefined, 0],
      ["failed", 1],
    ] as const) {
      const handler = counted();
      let held = (): void => {};
      const holds = new Promise<void>((resolve) => (held = resolve));
      const name = `refund ${refund}`;
      const site = await serve(
        {
          limit: 1,
          window: "1h",
          algorithm: "leaky-bucket",
          burst: 2,
          name,
          refund,
          onDecision: ({ delay }) => delay > 0 && held(),
        },
        { routes: { "GET /": handler } },
      );
      assert.equal((await site.get()).status, 200);
      const exchange = site.start();
      await holds;
      exchange.leave();
      await exchange.over;
      assert.equal(handler.decisions.length, 1);
      const { key } = handler.decisions[0] as Decision;
      assert.equal((await site.limiters[0]!.peek(key)).remaining, left, name);
    }
  });
}
