import type { IncomingMessage } from "node:http";
import type { Decision } from "../../decision.ts";
import { preflight } from "../../http/index.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of costs, limits and exemptions that depend on the request. */
export function amounts(define: Define): void {
  const cost = ({ headers }: IncomingMessage): number => Number(headers["x-cost"]);
  const costs = (...units: readonly number[]) =>
    units.map((unit) => ({ headers: { "x-cost": String(unit) } }));

  define("charges what a request costs", async ({ serve }) => {
    for (const [name, priced] of [
      ["now", cost],
      ["later", async (req: IncomingMessage) => cost(req)],
    ] as const) {
      const site = await serve({ ...perMinute(10), name, cost: priced });
      assert.deepEqual(await site.statuses(costs(5, 5, 5, 11)), [200, 200, 429, 429]);
    }
  });

  define(
    "charges nothing for a cost of 0, and says what is left",
    async ({ serve, store, self }) => {
      const site = await serve({ ...perMinute(2), cost });
      const [free, paid] = [await site.get("/", costs(0)[0]), await site.get("/", costs(2)[0])];
      assert.deepEqual([free.status, free.headers["x-ratelimit-remaining"]], [200, "2"]);
      assert.deepEqual([paid.status, paid.headers["x-ratelimit-remaining"]], [200, "0"]);
      const again = await site.get("/", costs(0)[0]);
      assert.deepEqual([again.status, again.headers["x-ratelimit-remaining"]], [200, "0"]);
      await site.limiters[0]!.reset(self);
      assert.equal((store as { size?: number }).size, 0);
    },
  );

  define("limits each request by its own limit", async ({ serve }) => {
    const limit = ({ headers }: IncomingMessage): number => (headers["x-plan"] === "pro" ? 3 : 1);
    for (const [name, limited] of [
      ["now", limit],
      ["later", async (req: IncomingMessage) => limit(req)],
    ] as const) {
      const site = await serve({ ...perMinute(1), name, limit: limited });
      const pro = { headers: { "x-plan": "pro" } };
      const answers = [
        await site.get(),
        await site.get(),
        await site.get("/", pro),
        await site.get("/", pro),
        await site.get("/", pro),
      ];
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers["x-ratelimit-limit"]]),
        [
          [200, "1"],
          [429, "1"],
          [200, "3"],
          [200, "3"],
          [429, "3"],
        ],
      );
    }
  });

  define("takes nonsense of a function for an error, never for no limit", async ({ serve }) => {
    const nonsense: unknown[] = [undefined, null, Number.NaN, "2", -1, 1.5, Infinity, 2 ** 53, {}];
    let answer: unknown;
    const handler = counted();
    const routes = { "GET /": handler };
    for (const option of ["limit", "cost"] as const) {
      const site = await serve({ ...perMinute(5), [option]: () => answer as number }, { routes });
      for (const value of nonsense) {
        for (answer of [value, Promise.resolve(value)]) {
          assert.equal((await site.get()).status, 500, `${option} ${String(value)}`);
        }
      }
    }
    assert.equal(handler.decisions.length, 0);
  });

  define("hands what a function throws to error handling, once", async ({ serve }) => {
    const seen: unknown[] = [];
    const onError = (error: unknown): { status: number; body: string } => {
      seen.push((error as Error).message);
      return { status: 500, body: "" };
    };
    const failures = [
      (): never => {
        throw new Error("mine");
      },
      (): Promise<never> => Promise.reject(new Error("mine")),
    ];
    for (const option of ["limit", "cost", "skip"] as const) {
      for (const fails of failures) {
        const handler = counted();
        const plan = { onError, routes: { "GET /": handler } };
        const site = await serve({ ...perMinute(5), [option]: fails }, plan);
        assert.equal((await site.get()).status, 500);
        assert.equal(handler.decisions.length, 0);
      }
    }
    assert.deepEqual(seen, Array(6).fill("mine"));
  });

  define("skips for true, and for nothing else", async ({ serve }) => {
    const rows: readonly [string, () => unknown, readonly number[]][] = [
      ["true", () => true, [200, 200]],
      ["true, later", async () => true, [200, 200]],
      ["false", () => false, [200, 429]],
      ["false, later", () => new Promise((resolve) => setImmediate(resolve, false)), [200, 429]],
      ["nothing", () => undefined, [200, 429]],
      ["a string", () => "yes", [500, 500]],
      ["an object", () => ({}), [500, 500]],
      ["a number", () => 1, [500, 500]],
    ];
    for (const [name, skip, statuses] of rows) {
      const site = await serve({ ...perMinute(1), name, skip: skip as () => boolean });
      assert.deepEqual(await site.statuses(["/", "/"]), statuses, name);
    }
  });

  define("leaves no trace on a skipped request but its decision", async ({ serve }) => {
    const handler = counted();
    const site = await serve(
      { ...perMinute(1), skip: () => true },
      { routes: { "GET /": handler } },
    );
    const { headers } = await site.get();
    assert.equal(headers["x-ratelimit-limit"], undefined);
    const [decision] = handler.decisions as Decision[];
    assert.equal(decision?.reason, "skipped");
    assert.equal(decision?.allowed, true);
  });

  define("counts preflights, unless they are skipped", async ({ serve }) => {
    const routes = { "GET /": {}, "OPTIONS /": { status: 204, body: "" } };
    const ask = [{ method: "OPTIONS" }, {}, { method: "OPTIONS" }, {}, { method: "OPTIONS" }, {}];
    const counting = await serve({ ...perMinute(3), name: "counting" }, { routes });
    assert.deepEqual(await counting.statuses(ask), [204, 200, 204, 429, 429, 429]);
    const skipping = await serve(
      { ...perMinute(3), name: "skipping", skip: preflight },
      { routes },
    );
    assert.deepEqual(await skipping.statuses(ask), [204, 200, 204, 200, 204, 200]);
  });

  define("refuses nobody in shadow, and tells what it would have done", async ({ serve }) => {
    const seen: Decision[] = [];
    const site = await serve({
      ...perMinute(1),
      shadow: true,
      onDecision: (decision) => seen.push(decision),
      onRefused: () => assert.fail("nothing is refused"),
    });
    const answers = [await site.get(), await site.get()];
    assert.ok(answers.every(({ status }) => status === 200));
    assert.ok(answers.every(({ headers }) => headers["x-ratelimit-limit"] === undefined));
    assert.deepEqual(
      seen.map(({ allowed, shadowed }) => [allowed, shadowed]),
      [
        [true, false],
        [true, true],
      ],
    );
  });

  define("charges refused requests where it is told to", async ({ serve, clock }) => {
    const site = await serve({
      limit: 2,
      window: "1m",
      algorithm: "sliding-log",
      countRefused: true,
    });
    await site.statuses(["/", "/"]);
    clock.advance(59_000);
    assert.equal((await site.get()).status, 429);
    clock.advance(1000);
    assert.deepEqual(await site.statuses(["/", "/"]), [200, 429]);
  });
}
