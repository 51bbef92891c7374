import type { Decision } from "../../decision.ts";
import { apiKey, everyone, header, ip, join, keyOf, user } from "../../http/index.ts";
import type { Store } from "../../store.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";
import type { Ask } from "./site.ts";

/** Defines tests of whose allowance a request uses. */
export function identity(define: Define): void {
  const users = { ada: { id: "ada" }, text: { id: "127.0.0.1" }, none: { id: "" }, odd: { id: 7 } };

  define("counts by API key before user, by user before address", async ({ serve }) => {
    const site = await serve(perMinute(1), { users });
    const key = { "x-api-key": "k-1" };
    assert.deepEqual(
      await site.statuses([
        { headers: { ...key, "x-user": "ada" } },
        { headers: { ...key } },
        { headers: { "x-user": "ada" } },
        { headers: { "x-user": "ada" } },
        {},
        {},
        { headers: { "x-api-key": "k-2" } },
      ]),
      [200, 429, 200, 429, 200, 429, 200],
    );
  });

  define("takes a user without an id for nobody", async ({ serve }) => {
    const site = await serve(perMinute(1), { users });
    const nobody = [{ headers: { "x-user": "none" } }, { headers: { "x-user": "unknown" } }, {}];
    assert.deepEqual(await site.statuses(nobody), [200, 429, 429]);
  });

  define("keeps a user apart whose id is somebody's address", async ({ serve }) => {
    const site = await serve(perMinute(1), { users });
    assert.deepEqual(
      await site.statuses([{}, { headers: { "x-user": "text" } }, {}]),
      [200, 200, 429],
    );
  });

  define("takes an id that is no text for an error", async ({ serve }) => {
    const handler = counted();
    const site = await serve(perMinute(1), { users, routes: { "GET /": handler } });
    assert.equal((await site.get("/", { headers: { "x-user": "odd" } })).status, 500);
    assert.equal(handler.decisions.length, 0);
  });

  define("makes the address pay for API keys that nobody verified", async ({ serve }) => {
    const invented = (n: number): Ask => ({ headers: { "x-api-key": `invented-${n}` } });
    const rows = [
      ["ten times the limit by default", {}, 20],
      ["a number", { unverifiedCeiling: 3 }, 3],
    ] as const;
    for (const [name, options, most] of rows) {
      const site = await serve({ ...perMinute(2), ...options, name });
      const asks = Array.from({ length: most + 2 }, (_, n) => invented(n));
      const passed = (await site.statuses(asks)).filter((status) => status === 200);
      assert.equal(passed.length, most, name);
      const refused = await site.get("/", invented(-1));
      assert.equal(refused.headers["x-ratelimit-limit"], String(most));
      assert.equal(refused.headers["x-ratelimit-remaining"], "0");
      assert.equal(refused.lines("retry-after").length, 1);
      assert.equal((await site.get()).status, 200, "the address itself has its own allowance");
    }
  });

  define("keeps a ceiling that was looked at before the first request", async ({ serve, self }) => {
    const site = await serve({ ...perMinute(2), unverifiedCeiling: 1 });
    await site.limiters[0]!.reset(self);
    const asks = [1, 2].map((n) => ({ headers: { "x-api-key": String(n) } }));
    assert.deepEqual(await site.statuses(asks), [200, 429]);
    await site.limiters[0]!.reset(self);
    assert.deepEqual(await site.statuses(asks), [200, 429]);
  });

  define("keeps each ceiling of several extractors", async ({ serve }) => {
    const key = [
      apiKey({ header: "x-a", unverifiedCeiling: 1 }),
      apiKey({ header: "x-b", unverifiedCeiling: 3 }),
    ];
    const site = await serve({ ...perMinute(9), key });
    const asks = [1, 2, 3].flatMap((n) => [
      { headers: { "x-a": `a-${n}` } },
      { headers: { "x-b": `b-${n}` } },
    ]);
    const statuses = await site.statuses(asks);
    assert.equal(statuses[0], 200);
    assert.equal(statuses[1], 200);
    assert.equal(statuses[2], 429);
  });

  define("lets keys go without a ceiling where it is told to", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), unverifiedCeiling: false });
    const asks = Array.from({ length: 12 }, (_, n) => ({ headers: { "x-api-key": `free-${n}` } }));
    assert.ok((await site.statuses(asks)).every((status) => status === 200));
  });

  define("trusts keys that were verified, and no others", async ({ serve }) => {
    const rows = {
      now: (key: string) => key !== "bad",
      later: async (key: string) => key !== "bad",
    };
    for (const [name, verify] of Object.entries(rows)) {
      const site = await serve({ ...perMinute(1), name, key: [apiKey({ verify }), everyone()] });
      const asks = Array.from({ length: 15 }, (_, n) => ({
        headers: { "x-api-key": `good-${n}` },
      }));
      assert.ok((await site.statuses(asks)).every((status) => status === 200));
      const bad = { headers: { "x-api-key": "bad" } };
      assert.deepEqual(await site.statuses([bad, bad, {}]), [200, 429, 429]);
    }
  });

  define(
    "takes only true for verified, and refuses to take anything else for it",
    async ({ serve }) => {
      let answer: unknown = false;
      const verify = () => answer as boolean;
      const site = await serve({ ...perMinute(1), key: [apiKey({ verify }), everyone()] });
      const asks = [1, 2].map((n) => ({ headers: { "x-api-key": `key-${n}` } }));
      assert.deepEqual(await site.statuses(asks), [200, 429]);
      answer = { id: 1 };
      assert.deepEqual(await site.statuses(asks), [500, 500]);
      answer = true;
      assert.deepEqual(await site.statuses(asks), [200, 200]);
    },
  );

  define(
    "reads a bearer token in any spelling of its scheme, where asked to",
    async ({ serve }) => {
      const site = await serve([
        { ...perMinute(3), name: "asked", key: apiKey({ header: "authorization" }) },
      ]);
      const spellings = ["Bearer K", "bearer K", "BEARER   K", "bEaReR K"];
      const asks = spellings.map((authorization) => ({ headers: { authorization } }));
      assert.deepEqual(await site.statuses(asks), [200, 200, 200, 429]);
      const odd = ["x Bearer K", "Bearer", "Bearer a b", "Basic Sw=="];
      const others = odd.map((authorization) => ({ headers: { authorization } }));
      assert.deepEqual(await site.statuses(others), [200, 200, 200, 429]);
    },
  );

  define("shows no store a secret", async ({ serve, store }) => {
    const keys: string[] = [];
    const watching: Store = {
      ...store,
      take(charges, keep) {
        keys.push(...charges.map(({ key }) => key));
        return store.take(charges, keep);
      },
    };
    const site = await serve({ ...perMinute(9), store: watching });
    const decided = await site.get("/", { headers: { "x-api-key": "s3cret-of-ada" } });
    assert.equal(decided.status, 200);
    assert.ok(keys.length >= 1);
    assert.ok(keys.every((key) => !key.includes("s3cret")));
    assert.ok(keys.includes(keyOf.apiKey("s3cret-of-ada")));
  });

  define("falls back to the address where a key function finds nobody", async ({ serve }) => {
    const rows = {
      undefined: () => undefined,
      null: () => null,
      empty: () => "",
      later: async () => null,
    };
    for (const [name, key] of Object.entries(rows)) {
      const site = await serve([
        { ...perMinute(1), name, key },
        { ...perMinute(5), name: `${name} too` },
      ]);
      assert.deepEqual(await site.statuses(["/", "/"]), [200, 429]);
      assert.equal((await site.limiters[0]!.peek("undefined")).remaining, 1);
      assert.equal((await site.limiters[0]!.peek("null")).remaining, 1);
    }
  });

  define("takes a key that is no text for an error, and never lets it pass", async ({ serve }) => {
    const rows: unknown[] = [7, true, {}, ["a"], Number.NaN, Symbol("s"), 1n, new Date(0)];
    let value: unknown;
    const handler = counted();
    const key = (): string => value as string;
    const site = await serve({ ...perMinute(1), key }, { routes: { "GET /": handler } });
    for (value of rows) assert.equal((await site.get()).status, 500, typeof value);
    assert.equal(handler.decisions.length, 0);
  });

  define("hands a failing key function to error handling, once", async ({ serve }) => {
    const rows = {
      throws: (): string => {
        throw new Error("no key");
      },
      rejects: (): Promise<string> => Promise.reject(new Error("no key")),
    };
    for (const [name, key] of Object.entries(rows)) {
      const seen: unknown[] = [];
      const onError = (error: unknown): { status: number; body: string } => {
        seen.push((error as Error).message);
        return { status: 500, body: "" };
      };
      const site = await serve({ ...perMinute(1), name, key }, { onError });
      assert.equal((await site.get()).status, 500);
      assert.deepEqual(seen, ["no key"]);
    }
  });

  define("takes the first of a list that answers", async ({ serve }) => {
    const key = [header("x-tenant"), user(), () => "rest"];
    const site = await serve({ ...perMinute(1), key }, { users });
    const asks = [{ headers: { "x-tenant": "a" } }, { headers: { "x-user": "ada" } }, {}];
    assert.deepEqual(await site.statuses([...asks, ...asks]), [200, 200, 200, 429, 429, 429]);
  });

  define("never mixes the parts of a joined key", async ({ serve }) => {
    const key = join(header("x-a"), header("x-b"));
    const site = await serve({ ...perMinute(1), key });
    const pairs = [
      ["a:b", "c"],
      ["a", "b:c"],
      ["1:a", "b"],
      ["a", "1:b"],
      ["a%3Ab", "c"],
    ] as const;
    const asks = pairs.map(([a, b]) => ({ headers: { "x-a": a, "x-b": b } }));
    assert.ok((await site.statuses(asks)).every((status) => status === 200));
    assert.ok((await site.statuses(asks)).every((status) => status === 429));
  });

  define("has no names that a client could meet by its own text", async ({ serve }) => {
    const key = ({ headers }: { headers: Record<string, unknown> }): string =>
      String(headers["x-text"] ?? "");
    const site = await serve({ ...perMinute(1), key: key as never });
    assert.equal((await site.get()).status, 200);
    const names = [
      "ip:127.0.0.1",
      "ip:none",
      "everyone",
      "user:ada",
      "key:x",
      "#x",
      "text:ip:no",
      "unknown",
    ];
    const asks = names.map((text) => ({ headers: { "x-text": text } }));
    assert.ok((await site.statuses(asks)).every((status) => status === 200));
  });

  define("takes names of Object.prototype and long text for any other key", async ({ serve }) => {
    const site = await serve({ ...perMinute(1), key: header("x-text") });
    const long = "x".repeat(8000);
    const texts = ["__proto__", "constructor", "toString", "valueOf", `${long}a`, `${long}b`];
    const asks = texts.map((text) => ({ headers: { "x-text": text } }));
    assert.ok((await site.statuses(asks)).every((status) => status === 200));
    assert.ok((await site.statuses(asks)).every((status) => status === 429));
    assert.equal(Object.keys(Object.prototype).length, 0);
  });

  define("is found by hand by the key that hooks are told, also by a hash", async ({ serve }) => {
    const told: string[] = [];
    const onDecision = ({ key }: Decision) => void told.push(key);
    const site = await serve({ ...perMinute(2), key: header("x-text"), onDecision });
    const ask = { headers: { "x-text": "x".repeat(300) } };
    assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "1");
    const [key] = told;
    assert.match(key!, /^#/);
    const [limiter] = site.limiters;
    assert.equal((await limiter!.peek(key!)).remaining, 1);
    assert.equal((await limiter!.check(key!)).remaining, 0);
    assert.equal((await site.get("/", ask)).status, 429);
    await limiter!.reset(key!);
    assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "1");
  });

  define("asks once per request whether a key was issued", async ({ serve }) => {
    const asked: string[] = [];
    const verify = async (key: string): Promise<boolean> => {
      asked.push(key);
      return key !== "bad";
    };
    const key = [apiKey({ verify }), ip()];
    const policies = ["a", "b", "c"].map((name) => ({ ...perMinute(2), name, key }));
    const shared = { policies, allow: [keyOf.apiKey("friend")] };
    const site = await serve([shared, { ...perMinute(9), name: "d", key }]);
    const asks = ["good", "good", "good", "bad", "friend"];
    const statuses = await site.statuses(asks.map((text) => ({ headers: { "x-api-key": text } })));
    assert.deepEqual(statuses, [200, 200, 429, 200, 200]);
    assert.deepEqual(asked, asks);
  });
}
