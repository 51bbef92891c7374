import { describe, expect, it } from "vitest";
import { apiKey, everyone, ip, user } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { Store } from "../../src/store.ts";
import { bareSite, clock, minute } from "../http-scenarios/bare-site.ts";

const verify = (key: string): boolean => key.startsWith("known");

const levels = (limits: Readonly<Record<"ip" | "user" | "apiKey" | "everyone", number>>) =>
  [
    { ...minute, name: "ip", key: ip(), limit: limits.ip },
    { ...minute, name: "user", key: user(), limit: limits.user, unidentified: "skip" },
    {
      ...minute,
      name: "apiKey",
      key: apiKey({ verify }),
      limit: limits.apiKey,
      unidentified: "skip",
    },
    { ...minute, name: "everyone", key: everyone(), limit: limits.everyone },
  ] as const;

/** A store that counts its calls. */
function counting(): Store & { asked: number } {
  const store = memoryStore({ clock });
  const counted = {
    ...store,
    asked: 0,
    take(...args: Parameters<Store["take"]>) {
      counted.asked++;
      return store.take(...args);
    },
  };
  return counted;
}

const plan = { users: { ann: { id: "ann" }, bob: { id: "bob" } } };
const known = { "x-user": "ann", "x-api-key": "known 1" };

describe("address, user, API key and everyone in one limiter", () => {
  it.each([
    ["ip", { ip: 2, user: 3, apiKey: 4, everyone: 5 }],
    ["user", { ip: 3, user: 2, apiKey: 4, everyone: 5 }],
    ["apiKey", { ip: 3, user: 4, apiKey: 2, everyone: 5 }],
    ["everyone", { ip: 3, user: 4, apiKey: 5, everyone: 2 }],
  ] as const)(
    "charge all levels or none, and name %s as the one that refuses",
    async (level, limits) => {
      const store = counting();
      const site = await bareSite({ policies: levels(limits), store }, plan);
      for (let i = 0; i < 2; i++)
        expect((await site.get("/", { headers: known })).status).toBe(200);
      expect(store.asked).toBe(2);
      for (let i = 0; i < 3; i++) {
        const refused = await site.get("/", { headers: known });
        expect(refused.status).toBe(429);
        expect(JSON.parse(refused.text)).toMatchObject({ policy: level, limit: 2 });
      }
      expect(store.asked).toBe(5);
      const keys = ["ip:127.0.0.1", "user:ann", "everyone"];
      const used = [];
      for (const [i, key] of [keys[0]!, keys[1]!, undefined, keys[2]!].entries()) {
        if (key === undefined) continue;
        const { statuses } = await site.limiters[0]!.peek(key);
        used.push(statuses[i]!.limit - statuses[i]!.remaining);
      }
      expect(used).toEqual([2, 2, 2]);
    },
  );

  it("leave out the levels that a request has nothing of", async () => {
    const store = counting();
    const site = await bareSite(
      { policies: levels({ ip: 9, user: 1, apiKey: 1, everyone: 9 }), store },
      plan,
    );
    const statuses = [];
    for (const headers of [{}, {}, { "x-user": "ann" }, { "x-user": "bob" }, { "x-user": "ann" }]) {
      statuses.push((await site.get("/", { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect(store.asked).toBe(5);
  });

  it("exempt a request of which no level knows anything", async () => {
    const told: unknown[] = [];
    const site = await bareSite(
      {
        ...minute,
        limit: 1,
        key: user(),
        unidentified: "skip",
        onDecision: ({ reason }) => told.push(reason),
      },
      plan,
    );
    expect(await site.statuses(["/", "/"])).toEqual([200, 200]);
    expect(told).toEqual(["skipped", "skipped"]);
  });

  it("charge the address of whom a level does not know, where nothing else is said", async () => {
    const site = await bareSite({ ...minute, limit: 1, key: user() }, plan);
    expect(await site.statuses(["/", "/"])).toEqual([200, 429]);
  });
});
