import type { IncomingMessage } from "node:http";
import type { Decision } from "../../decision.ts";
import type { Store } from "../../store.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of refunds by the outcome of a request. */
export function refunds(define: Define): void {
  const routes = {
    "GET /": {},
    "GET /422": { status: 422, body: "no" },
    "GET /500": { status: 500, body: "no" },
    "GET /throws": { fails: () => new Error("broken") },
  };

  define("gives failures back, and never a refusal", async ({ serve }) => {
    const site = await serve({ ...perMinute(2), refund: "failed" }, { routes });
    assert.deepEqual(
      await site.statuses(["/500", "/422", "/throws", "/nope", "/", "/", "/", "/500"]),
      [500, 422, 500, 404, 200, 200, 429, 429],
    );
  });

  define("gives successes back", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), refund: "successful" }, { routes });
    assert.deepEqual(
      await site.statuses(["/", "/", "/422", "/422", "/"]),
      [200, 200, 422, 429, 429],
    );
  });

  define("asks a function of the status and the request", async ({ serve }) => {
    const refund = (status: number, { url }: IncomingMessage): boolean =>
      status === 422 && url === "/422";
    const site = await serve({ ...perMinute(1), refund }, { routes });
    assert.deepEqual(await site.statuses(["/422", "/422", "/500", "/422"]), [422, 422, 500, 429]);
  });

  define("keeps the charge where such a function fails or answers nonsense", async ({ serve }) => {
    const rows = {
      throws: () => {
        throw new Error("mine");
      },
      rejects: () => Promise.reject(new Error("mine")),
      nonsense: () => "yes",
    };
    for (const [name, refund] of Object.entries(rows)) {
      const errors: unknown[] = [];
      const site = await serve({
        ...perMinute(1),
        name,
        refund: refund as () => boolean,
        onError: (error) => errors.push(error),
      });
      assert.deepEqual(await site.statuses(["/", "/"]), [200, 429]);
      assert.equal(errors.length, 1, name);
    }
  });

  define("waits for a function that answers later", async ({ serve }) => {
    const refund = async (status: number): Promise<boolean> => status === 422;
    const site = await serve({ ...perMinute(1), refund }, { routes });
    assert.equal((await site.get("/422")).status, 422);
    assert.equal((await site.get("/422")).status, 422);
    assert.deepEqual(await site.statuses(["/500", "/422"]), [500, 429]);
  });

  define("counts failures alone, and forgets them with a success", async ({ serve }) => {
    const site = await serve({ ...perMinute(2), count: [422], resetOn: ["2xx"] }, { routes });
    assert.deepEqual(
      await site.statuses(["/422", "/500", "/500", "/", "/422", "/422", "/422", "/"]),
      [422, 500, 500, 200, 422, 422, 429, 429],
    );
  });

  define(
    "gives nothing back that it forgets, however late that is known",
    async ({ serve, store }) => {
      for (const [name, resetOn] of Object.entries({
        "at once": (status: number) => status === 200,
        later: async (status: number) => status === 200,
      })) {
        const done: string[] = [];
        const noted: Store = {
          take: (charges, keep) => store.take(charges, keep),
          give: () => void done.push("give"),
          reset(policy, key) {
            done.push("reset");
            return store.reset(policy, key);
          },
        };
        const both = { refund: "successful", resetOn } as const;
        const site = await serve({ ...perMinute(5), ...both, name, store: noted });
        await site.get();
        await new Promise(setImmediate);
        assert.deepEqual(done, ["reset"], name);
      }
    },
  );

  define("forgets no address for what it claims to be", async ({ serve }) => {
    const outcomes = { count: [422], resetOn: "successful" } as const;
    const site = await serve({ ...perMinute(1), ...outcomes, unverifiedCeiling: 3 }, { routes });
    let made = 0;
    const claiming = () => ({ headers: { "x-api-key": `invented ${made++}` } });
    const seen: number[] = [];
    for (const path of ["/422", "/422", "/", "/422", "/422", "/"]) {
      seen.push((await site.get(path, claiming())).status);
    }
    assert.deepEqual(seen, [422, 422, 200, 422, 429, 429]);
  });

  define("settles what a request really cost, by its decision", async ({ serve, self }) => {
    const settled: Promise<void>[] = [];
    const settle = (actual: number) => ({
      status: 422,
      reached: (decision: unknown) => void settled.push((decision as Decision).settle(actual)),
    });
    const site = await serve(
      { ...perMinute(20), cost: 4, refund: "failed" },
      { routes: { "GET /less": settle(1), "GET /more": settle(9) } },
    );
    for (const [path, remaining] of [
      ["/less", 19],
      ["/more", 10],
    ] as const) {
      assert.equal((await site.get(path)).status, 422);
      await Promise.all(settled);
      assert.equal((await site.limiters[0]!.peek(self)).remaining, remaining);
    }
  });

  define("charges at the door, not at the end", async ({ serve }) => {
    let finish = (): void => {};
    const until = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    let arrived = (): void => {};
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const site = await serve(
      { ...perMinute(1), refund: "successful" },
      { routes: { "GET /": {}, "GET /slow": { until, reached: () => arrived() } } },
    );
    const first = site.start("/slow");
    await here;
    assert.equal((await site.get()).status, 429);
    finish();
    assert.equal((await first.answer).status, 200);
    assert.equal((await site.get()).headers["x-ratelimit-remaining"], "0");
  });

  define("takes a client that leaves before the head for a failure", async ({ serve }) => {
    for (const [refund, statuses] of [
      ["failed", [200, 200, 429]],
      ["successful", [429, 429, 429]],
      [undefined, [429, 429, 429]],
    ] as const) {
      let arrived = (): void => {};
      let finish = (): void => {};
      const handler = counted({
        reached: () => arrived(),
        until: () => new Promise<void>((resolve) => (finish = resolve)),
      });
      const site = await serve(
        { ...perMinute(2), name: `refund ${refund}`, refund },
        { routes: { "GET /": {}, "GET /slow": handler } },
      );
      for (let i = 0; i < 2; i++) {
        const here = new Promise<void>((resolve) => (arrived = resolve));
        const exchange = site.start("/slow");
        await here;
        exchange.leave();
        await exchange.over;
        finish();
      }
      assert.deepEqual(await site.statuses(["/", "/", "/"]), statuses);
    }
  });

  define("takes no stream for a failure that the client closed", async ({ serve }) => {
    const stream = { open: true, body: "data: 1\n\n" };
    const site = await serve(
      { ...perMinute(2), refund: "failed" },
      { routes: { "GET /": stream } },
    );
    for (let i = 0; i < 2; i++) {
      const exchange = site.start();
      assert.equal((await exchange.head).statusCode, 200);
      exchange.leave();
      await exchange.over;
    }
    assert.equal((await site.get()).status, 429);
  });

  define("gives back what each policy asks for", async ({ serve, self }) => {
    const policies = [
      { ...perMinute(5), name: "a", refund: "failed" },
      { ...perMinute(5), name: "b" },
    ] as const;
    const site = await serve({ policies }, { routes });
    await site.get("/500");
    const { statuses } = await site.limiters[0]!.peek(self);
    assert.deepEqual(
      statuses.map(({ remaining }) => remaining),
      [5, 4],
    );
  });

  define("outlives a store that cannot give back", async ({ serve, store }) => {
    const gives = [
      () => {
        throw new Error("store");
      },
      () => Promise.reject(new Error("store")),
    ];
    for (const give of gives) {
      const errors: unknown[] = [];
      const failing: Store = { ...store, give };
      const site = await serve(
        {
          ...perMinute(1),
          store: failing,
          refund: "failed",
          onError: (error) => errors.push(((error as Error).cause as Error).message),
        },
        { routes },
      );
      assert.equal((await site.get("/500")).status, 500);
      assert.deepEqual(errors, ["store"]);
      await site.limiters[0]!.reset("ip:none");
      await site.limiters[0]!.reset("ip:127.0.0.1");
    }
  });
}
