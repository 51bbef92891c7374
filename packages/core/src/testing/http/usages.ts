import { fallbackStore } from "../../wrappers/fallback-store.ts";
import { assert } from "../assert.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of what clients learn about their usage. */
export function usages(define: Define): void {
  const usage = "/usage";

  define("tells clients their usage, and charges nothing", async ({ serve, clock }) => {
    const site = await serve(
      {
        policies: [
          { ...perMinute(3), name: "minute" },
          { limit: 9, window: "1h", algorithm: "fixed-window", name: "hour" },
          { ...perMinute(1), name: "quiet", shadow: true },
        ],
      },
      { usage },
    );
    await site.statuses(["/", "/"]);
    clock.advance(15_500);
    for (let i = 0; i < 2; i++) {
      const answer = await site.get(usage);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
      assert.match(answer.headers["content-type"]!, /^application\/json/);
      assert.deepEqual(answer.json(), {
        policies: [
          { policy: "minute", limit: 3, used: 2, remaining: 1, reset: 45, window: 60 },
          { policy: "hour", limit: 9, used: 2, remaining: 7, reset: 3585, window: 3600 },
        ],
      });
    }
    assert.equal((await site.get()).status, 200);
  });

  define("tells of a share what is used of the share", async ({ serve, store }) => {
    const down = { take: () => Promise.reject(new Error("down")), give() {}, reset() {} };
    const halved = fallbackStore(down, { fallback: store, share: 0.5 });
    const bucket = { algorithm: "token-bucket", limit: 100, burst: 10, window: "1h" } as const;
    const site = await serve({ ...bucket, name: "shared", store: halved }, { usage });
    const used = async (): Promise<unknown> =>
      ((await site.get(usage)).json() as { policies: { used: number }[] }).policies[0]!.used;
    assert.equal(await used(), 0);
    await site.get();
    assert.equal(await used(), 1);
  });

  define("tells each client its own usage only", async ({ serve }) => {
    const users = { ada: { id: "ada" }, bob: { id: "bob" } };
    const site = await serve(perMinute(5), { usage, users });
    const as = (user: string) => ({ headers: { "x-user": user } });
    await site.statuses([as("ada"), as("ada"), as("bob")]);
    const used = async (user: string): Promise<unknown> => {
      const { policies } = (await site.get(usage, as(user))).json();
      return (policies as { used: number }[])[0]!.used;
    };
    assert.deepEqual([await used("ada"), await used("bob"), await used("nobody")], [2, 1, 0]);
  });

  define("answers HEAD as it answers GET, without the body", async ({ serve }) => {
    const site = await serve(perMinute(5), { usage });
    const get = await site.get(usage);
    const head = await site.get(usage, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    for (const name of ["content-type", "cache-control"]) {
      assert.deepEqual(head.lines(name), get.lines(name), name);
    }
    assert.equal(head.headers["content-length"], String(Buffer.byteLength(get.text)));
  });

  define("tells of the policies of all rules, whatever the path", async ({ serve }) => {
    const site = await serve(
      {
        matching: "first",
        rules: [
          { name: "search", match: "/search", ...perMinute(2) },
          { name: "free", match: "/free", unlimited: true },
          {
            name: "keyed",
            ...perMinute(4),
            key: ({ headers }) => headers["x-tenant"] as string | undefined,
            unidentified: "skip",
          },
        ],
      },
      { usage, routes: { "GET /search": {} } },
    );
    await site.get("/search");
    const told = async (headers = {}): Promise<unknown> => {
      const { policies } = (await site.get(usage, { headers })).json();
      return (policies as { policy: string; used: number }[]).map(
        ({ policy, used }) => `${policy} ${used}`,
      );
    };
    assert.deepEqual(await told(), ["search 1"]);
    assert.deepEqual(await told({ "x-tenant": "acme" }), ["search 1", "keyed 0"]);
  });

  define("invents no usage where the store cannot answer", async ({ serve, store }) => {
    const errors: unknown[] = [];
    const broken = {
      ...store,
      take: () => Promise.reject(new Error("gone")),
    };
    const site = await serve(
      { ...perMinute(5), store: broken, onError: (error) => void errors.push(error) },
      { usage },
    );
    const answer = await site.get(usage);
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.lines("cache-control"), ["no-store"]);
    assert.equal(answer.json().error, "Service Unavailable");
    assert.equal(errors.length, 1);
  });

  define("lets the framework answer what a function of the options throws", async ({ serve }) => {
    const key = (): never => {
      throw new Error("broken");
    };
    const onError = () => ({ status: 599, body: "handled" });
    const site = await serve({ ...perMinute(5), key }, { usage, onError });
    assert.equal((await site.get(usage)).status, 599);
  });
}
