import { header, ip, join, keyOf, user } from "../../http/index.ts";
import { assert } from "../assert.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";

/** Defines tests of looking up and resetting clients by their keys. */
export function byHand(define: Define): void {
  const users = { ada: { id: "ada" } };

  define(
    "is looked at, charged and reset by hand under the keys of keyOf",
    async ({ serve, self }) => {
      const site = await serve(perMinute(3), { users });
      const [limiter] = site.limiters;
      const rows = [
        [self, {}],
        [keyOf.user("ada"), { headers: { "x-user": "ada" } }],
        [keyOf.apiKey("k-1"), { headers: { "x-api-key": "k-1" } }],
      ] as const;
      for (const [key, ask] of rows) {
        assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "2");
        assert.equal((await limiter!.peek(key)).remaining, 2);
        assert.equal((await limiter!.check(key)).remaining, 1);
        assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "0");
        await limiter!.reset(key);
        assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "2");
      }
    },
  );

  define("is found by hand under a key of several parts", async ({ serve, self }) => {
    const key = join([user(), ip()], header("x-tenant"), () => "é");
    const site = await serve({ ...perMinute(3), key }, { users });
    const [limiter] = site.limiters;
    const text = "t".repeat(300);
    const rows = [
      [keyOf.user("ada"), "acme", { "x-user": "ada" }],
      [self, "acme", {}],
      [self, text, {}],
    ] as const;
    for (const [who, tenant, headers] of rows) {
      const ask = { headers: { ...headers, "x-tenant": tenant } };
      assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "2");
      const joined = keyOf.join(who, keyOf.header("x-tenant", tenant), "é");
      assert.equal((await limiter!.peek(joined)).remaining, 2);
      await limiter!.reset(joined);
      assert.equal((await site.get("/", ask)).headers["x-ratelimit-remaining"], "2");
    }
  });
}
