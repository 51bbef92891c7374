import type { Decision } from "../../decision.ts";
import { assert } from "../assert.ts";
import { counted } from "./counted.ts";
import { rated } from "./fields.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of rules for some requests, and of lists of exempt or denied ones. */
export function rules(define: Define): void {
  const routes = {
    "GET /": {},
    "GET /api/search": {},
    "POST /api/search": {},
    "GET /api/users/7": {},
    "GET /api/health": {},
    "GET /elsewhere": {},
  };

  define("charges the first rule that a request matches", async ({ serve }) => {
    const site = await serve(
      {
        matching: "first",
        headers: ["legacy", "draft-8"],
        rules: [
          { name: "health", match: "/api/health", unlimited: true },
          { name: "search", match: "POST /api/search", ...perMinute(1) },
          { name: "users", match: { path: "/api/users/:id" }, ...perMinute(2) },
          { name: "api", match: "/api/*", ...perMinute(3) },
        ],
      },
      { routes },
    );
    const post = await site.get("/api/search", { method: "POST" });
    assert.equal(post.headers["ratelimit-policy"], '"search";q=1;w=60');
    assert.equal((await site.get("/api/search", { method: "POST" })).status, 429);
    const user = await site.get("/api/users/7");
    assert.deepEqual(
      [user.headers["x-ratelimit-limit"], user.headers["x-ratelimit-remaining"]],
      ["2", "1"],
    );
    assert.equal(user.headers["ratelimit-policy"], '"users";q=2;w=60');
    assert.equal((await site.get("/api/search")).headers["ratelimit-policy"], '"api";q=3;w=60');
    assert.deepEqual(rated(await site.get("/api/health")), []);
    assert.deepEqual(rated(await site.get("/elsewhere")), []);
    assert.deepEqual(
      await site.statuses(["/api/health", "/elsewhere", "/api/users/7"]),
      [200, 200, 200],
    );
    assert.equal((await site.get("/api/users/7")).json().policy, "users");
  });

  define("charges all rules that a request matches, but those replaced", async ({ serve }) => {
    const handler = counted();
    const site = await serve(
      {
        matching: "all",
        rules: [
          { name: "all", ...perMinute(5) },
          { name: "api", match: "/api/*", policies: [{ name: "calls", ...perMinute(9) }] },
          { name: "search", match: "/api/search", ...perMinute(2), replaces: ["api"] },
          { name: "health", match: "/api/health", unlimited: true },
        ],
      },
      { routes: { ...routes, "GET /api/users/7": handler, "GET /api/search": handler } },
    );
    await site.get("/api/users/7");
    await site.get("/api/search");
    assert.deepEqual(
      (handler.decisions as Decision[]).map(({ statuses }) =>
        statuses.map(({ policy, remaining }) => `${policy} ${remaining}`),
      ),
      [
        ["all 4", "calls 8"],
        ["all 3", "search 1"],
      ],
    );
    assert.deepEqual(await site.statuses(["/api/search", "/api/search"]), [200, 429]);
    assert.equal((await site.get("/api/health")).status, 200);
    assert.equal((await site.get()).headers["x-ratelimit-remaining"], "1");
  });

  define("says why a request is exempt", async ({ serve }) => {
    const handler = counted();
    const seen: Decision[] = [];
    const site = await serve(
      {
        matching: "first",
        onDecision: (decision) => void seen.push(decision),
        rules: [
          { name: "free", match: "/", unlimited: true },
          { name: "api", match: "/api/*", ...perMinute(1) },
        ],
      },
      { routes: { "GET /": handler, "GET /elsewhere": handler } },
    );
    await site.statuses(["/", "/elsewhere"]);
    assert.deepEqual(
      (handler.decisions as Decision[]).map(({ reason, policy }) => [reason, policy]),
      [
        ["skipped", "free"],
        ["skipped", ""],
      ],
    );
    assert.deepEqual(seen, handler.decisions);
  });

  define("asks predicates of matches, and lets what they throw be an error", async ({ serve }) => {
    const site = await serve(
      {
        matching: "first",
        rules: [
          {
            name: "beta",
            match: {
              path: "/",
              when: async ({ headers }) => {
                if (headers["x-broken"]) throw new Error("broken");
                return headers["x-beta"] === "1";
              },
            },
            ...perMinute(1),
          },
        ],
      },
      { onError: () => ({ status: 599, body: "handled" }) },
    );
    const beta = { headers: { "x-beta": "1" } };
    assert.deepEqual(await site.statuses([beta, "/", beta, "/"]), [200, 200, 429, 200]);
    assert.equal((await site.get("/", { headers: { "x-broken": "1" } })).status, 599);
  });

  define("lets listed clients pass, and denies others", async ({ serve, over }) => {
    if (over === "unix") return;
    const handler = counted();
    const site = await serve(
      {
        ...perMinute(1),
        key: ({ headers }) => headers["x-client"] as string | undefined,
        allow: [{ key: "friend", reason: "a friend" }],
        deny: [{ when: ({ headers }) => headers["x-bad"] === "1", reason: "bad" }, { key: "foe" }],
      },
      { routes: { "GET /": handler } },
    );
    const as = (client: string, more = {}) => ({ headers: { "x-client": client, ...more } });
    assert.deepEqual(
      await site.statuses([as("friend"), as("friend", { "x-bad": "1" }), as("foe"), as("other")]),
      [200, 200, 403, 200],
    );
    const [friend] = handler.decisions as Decision[];
    assert.deepEqual([friend!.reason, friend!.detail], ["skipped", "a friend"]);
    const denied = await site.get("/", as("other", { "x-bad": "1" }));
    assert.equal(denied.status, 403);
    assert.deepEqual(denied.json(), { error: "Forbidden", message: "Access denied." });
    assert.deepEqual(denied.lines("retry-after"), []);
    assert.deepEqual(denied.lines("cache-control"), ["no-store"]);
    assert.equal((await site.limiters[0]!.peek("foe")).remaining, 1);
  });

  define("denies networks, with the status that is asked for", async ({ serve, over }) => {
    const site = await serve({ ...perMinute(9), deny: ["127.0.0.0/8", "::1"], denyStatus: 451 });
    assert.equal((await site.get()).status, over === "unix" ? 200 : 451);
  });

  define("looks up late entries for who would be refused, and no one else", async (tools) => {
    const asked: unknown[] = [];
    const told: string[] = [];
    const site = await tools.serve({
      ...perMinute(1),
      allow: [
        {
          late: true,
          reason: "paid",
          when: async ({ headers }) => {
            asked.push(headers["x-paid"]);
            return headers["x-paid"] === "1";
          },
        },
      ],
      onDecision: ({ reason, detail }) => void told.push(`${reason} ${detail}`),
      onRefused: () => void told.push("refused"),
    });
    const paid = { headers: { "x-paid": "1" } };
    assert.deepEqual(await site.statuses([paid, paid, "/"]), [200, 200, 429]);
    assert.deepEqual(asked, ["1", undefined]);
    assert.deepEqual(told, ["ok undefined", "skipped paid", "limited undefined", "refused"]);
  });
}
