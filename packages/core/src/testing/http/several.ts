import { memoryStore } from "../../memory-store.ts";
import type { Store } from "../../store.ts";
import { assert } from "../assert.ts";
import { legacy, rated } from "./fields.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of requests under several policies or several limiters. */
export function several(define: Define): void {
  const hourly = (limit: number) =>
    ({ limit, window: "1h", algorithm: "fixed-window", name: "hour" }) as const;
  const minutely = (limit: number) => ({ ...perMinute(limit), name: "minute" }) as const;

  define("charges all policies or none", async ({ serve, self }) => {
    const site = await serve({ policies: [minutely(2), hourly(1)] });
    assert.deepEqual(await site.statuses(["/", "/", "/"]), [200, 429, 429]);
    const { statuses } = await site.limiters[0]!.peek(self);
    assert.deepEqual(
      statuses.map(({ policy, remaining }) => [policy, remaining]),
      [
        ["minute", 1],
        ["hour", 0],
      ],
    );
  });

  define("describes the policy that refuses longest, else the tightest", async ({ serve }) => {
    const site = await serve({ policies: [minutely(1), hourly(1)], body: "problem" });
    const first = await site.get();
    assert.equal(first.headers["x-ratelimit-limit"], "1");
    const refused = await site.get();
    assert.deepEqual(refused.lines("retry-after"), ["3600"]);
    assert.equal(refused.json().policy, "hour");
    assert.deepEqual(refused.json()["violated-policies"], ["minute", "hour"]);
  });

  define("lists all policies in the order of the options", async ({ serve }) => {
    const policies = [hourly(9), minutely(2)];
    const site = await serve({ policies, headers: "draft-8" });
    assert.deepEqual(rated(await site.get()), [
      'ratelimit="hour";r=8;t=3600, "minute";r=1;t=60',
      'ratelimit-policy="hour";q=9;w=3600, "minute";q=2;w=60',
    ]);
  });

  define("skips and shadows each policy by itself", async ({ serve }) => {
    const site = await serve({
      headers: "draft-8",
      policies: [
        { ...minutely(1), skip: ({ headers }) => headers["x-skip"] === "1" },
        { ...hourly(1), shadow: true },
        { ...perMinute(9), name: "rest" },
      ],
    });
    const first = await site.get();
    assert.equal(first.headers["ratelimit-policy"], '"minute";q=1;w=60, "rest";q=9;w=60');
    const skipping = await site.get("/", { headers: { "x-skip": "1" } });
    assert.equal(skipping.status, 200);
    assert.equal(skipping.headers["ratelimit-policy"], '"rest";q=9;w=60');
    assert.equal((await site.get()).status, 429);
  });

  define("shows the tightest of two limiters, in either order", async ({ serve }) => {
    for (const order of [0, 1]) {
      const both = [
        { ...hourly(100), name: `hour ${order}` },
        { ...minutely(2), name: `minute ${order}` },
      ];
      const site = await serve(order === 0 ? both : both.reverse());
      const answers = [await site.get(), await site.get(), await site.get()];
      assert.deepEqual(answers.map(rated), [legacy(2, 1), legacy(2, 0), legacy(2, 0)]);
      assert.equal(answers[2]!.status, 429);
      assert.deepEqual(answers[2]!.lines("retry-after"), ["60"]);
    }
  });

  define("lists the policies of two limiters in the order of asking", async ({ serve }) => {
    const site = await serve([
      { ...hourly(100), headers: "draft-8" },
      { ...minutely(1), headers: "draft-8" },
    ]);
    await site.get();
    assert.deepEqual(rated(await site.get()), [
      'ratelimit="hour";r=98;t=3600, "minute";r=0;t=60',
      'ratelimit-policy="hour";q=100;w=3600, "minute";q=1;w=60',
    ]);
  });

  define("tells of all limiters in the headers of each", async ({ serve }) => {
    for (const order of [0, 1]) {
      const both = [
        { ...hourly(100), name: `outer ${order}` },
        {
          ...minutely(2),
          name: `inner ${order}`,
          headers: "draft-8" as const,
          exposeHeaders: true,
        },
      ];
      const site = await serve(order === 0 ? both : both.reverse());
      await site.statuses(["/", "/"]);
      const refused = await site.get();
      assert.equal(refused.status, 429);
      assert.equal(refused.headers["x-ratelimit-limit"], order === 0 ? "2" : undefined);
      assert.equal(refused.headers["x-ratelimit-remaining"], order === 0 ? "0" : undefined);
      const told = [`"outer ${order}";r=97;t=3600`, `"inner ${order}";r=0;t=60`];
      assert.equal(refused.headers.ratelimit, order === 0 ? told.join(", ") : told[1]);
      const names = refused.headers["access-control-expose-headers"]!.split(", ");
      assert.equal(names.includes("X-RateLimit-Limit"), order === 0);
      assert.equal(names.includes("RateLimit"), true);
    }
  });

  define("lets no limiter in shadow mode say how others are told of", async ({ serve }) => {
    for (const order of [0, 1]) {
      const both = [
        { ...hourly(9), name: `trial ${order}`, headers: "draft-7" as const, shadow: true },
        { ...minutely(2), name: `real ${order}`, headers: "draft-8" as const },
      ];
      const site = await serve(order === 0 ? both : both.reverse());
      assert.deepEqual(rated(await site.get()), [
        `ratelimit="real ${order}";r=1;t=60`,
        `ratelimit-policy="real ${order}";q=2;w=60`,
      ]);
    }
  });

  define("tells nothing of a policy that no longer binds", async ({ serve }) => {
    const fields = [{ name: "X-Hint", byPolicy: { hour: "by the hour" } }];
    const headers = { limit: "X-Limit", fields } as const;
    const both = [
      { ...hourly(5), cost: 0, headers },
      { ...minutely(2), cost: 0, headers },
    ] as const;
    const tellOf = async (limits: Parameters<typeof serve>[0]): Promise<unknown[]> => {
      const { headers } = await (await serve(limits)).get();
      return [headers["x-limit"], headers["x-hint"]];
    };
    assert.deepEqual(await tellOf([...both]), ["2", undefined]);
    assert.deepEqual(await tellOf([...both].reverse()), ["2", undefined]);
    assert.deepEqual(await tellOf([both[0]]), ["5", "by the hour"]);
    const tighter = { ...hourly(1), cost: 0, headers };
    assert.deepEqual(await tellOf([both[1], tighter]), ["1", "by the hour"]);
    assert.deepEqual(await tellOf([both[0], both[1], { ...tighter, name: "third" }]), [
      "1",
      undefined,
    ]);
  });

  define("tells all in the earlier style where two cannot share an answer", async ({ serve }) => {
    const site = await serve([
      { ...hourly(100), headers: "draft-8" },
      { ...minutely(1), headers: "draft-6" },
    ]);
    await site.get();
    assert.deepEqual(rated(await site.get()), [
      'ratelimit="hour";r=98;t=3600, "minute";r=0;t=60',
      'ratelimit-policy="hour";q=100;w=3600, "minute";q=1;w=60',
    ]);
  });

  define("tells nothing of a limiter without headers, in either order", async ({ serve }) => {
    for (const order of [0, 1]) {
      const both = [
        { ...minutely(3), name: `hidden ${order}`, headers: false as const },
        { ...hourly(100), name: `told ${order}`, headers: "draft-8" as const },
      ];
      const site = await serve(order === 0 ? both : both.reverse());
      const answer = await site.get();
      assert.deepEqual(rated(answer), [
        `ratelimit="told ${order}";r=99;t=3600`,
        `ratelimit-policy="told ${order}";q=100;w=3600`,
      ]);
    }
  });

  define("warns of a request that two limiters count in one place", async ({ serve, store }) => {
    const later: Store = { ...store, take: async (charges, keep) => store.take(charges, keep) };
    const codes: unknown[] = [];
    const onWarning = ({ code }: { readonly code?: string }) => void codes.push(code);
    const warned = () => codes.splice(0).filter((code) => code === "SPILLWAY_CHARGED_TWICE").length;
    for (const [i, shared] of [store, later].entries()) {
      const options = { ...perMinute(8 + i), store: shared, onWarning };
      const apart = await serve([options, { ...options, name: `other ${i}` }]);
      await apart.get();
      assert.equal(warned(), 0);
      const looks = await serve([{ ...options, cost: 0 }, options]);
      await looks.get();
      assert.equal(warned(), 0);
      const site = await serve([options, { ...options }]);
      await site.statuses(["/", "/"]);
      assert.equal(warned(), 1);
      // Has its own store: an unnamed policy takes over what others have used.
      const full = { ...options, limit: 1, store: memoryStore() };
      const refusing = await serve([full, { ...full }]);
      assert.deepEqual(await refusing.statuses(["/"]), [429]);
      assert.equal(warned(), 1);
    }
  });

  define(
    "warns of it by what is counted, whether the second passes or refuses",
    async ({ serve, store }) => {
      const codes: unknown[] = [];
      const onWarning = ({ code }: { readonly code?: string }) => void codes.push(code);
      const minute = { window: "1m", onWarning } as const;
      const bucket = { algorithm: "token-bucket", burst: 10 } as const;
      const counted: [first: object, second: object, warnings: number][] = [
        [{ limit: 1, ...bucket }, { limit: 1, algorithm: "sliding-window" }, 0],
        [{ limit: 2 }, { limit: 2, ban: { for: "1h" } }, 0],
        [{ limit: 3 }, { limit: 3 }, 1],
      ];
      for (const [first, second, warnings] of counted) {
        const site = await serve([
          { ...minute, ...first, store },
          { ...minute, ...second, store },
        ] as never);
        await site.statuses(["/", "/"]);
        const told = codes.splice(0).filter((code) => code === "SPILLWAY_CHARGED_TWICE");
        assert.equal(told.length, warnings, JSON.stringify([first, second]));
      }
    },
  );

  define("asks no further limiter once one has refused", async ({ serve, self }) => {
    const site = await serve([minutely(1), hourly(9)]);
    assert.deepEqual(await site.statuses(["/", "/", "/"]), [200, 429, 429]);
    assert.equal((await site.limiters[1]!.peek(self)).remaining, 8);
  });
}
