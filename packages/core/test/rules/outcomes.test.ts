import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { Outcomes } from "../../src/http/outcomes.ts";
import type { Handler } from "../../src/testing/index.ts";
import { bareSite, minute } from "../http-scenarios/bare-site.ts";

const login = { ...minute, limit: 5, count: [401], resetOn: ["2xx"] } as const;

const routes: Readonly<Record<string, Handler>> = {
  "GET /ok": {},
  "GET /wrong": { status: 401, body: "wrong password" },
  "GET /broken": { status: 503, body: "down" },
  "GET /gone": { status: 404, body: "no" },
};

const asks = (path: string, times: number): string[] => Array(times).fill(path);

describe("login protection", () => {
  it("blocks after five failures, whatever the password is then", async () => {
    const site = await bareSite(login, { routes });
    expect(await site.statuses([...asks("/wrong", 5), "/ok", "/wrong"])).toEqual([
      ...Array(5).fill(401),
      429,
      429,
    ]);
  });

  it("forgets the failures with a success, and counts nothing else", async () => {
    const site = await bareSite(login, { routes });
    for (let i = 0; i < 3; i++) {
      expect(await site.statuses(asks("/wrong", 4))).toEqual(Array(4).fill(401));
      expect(await site.statuses(asks("/broken", 3))).toEqual(Array(3).fill(503));
      expect(await site.statuses(["/ok"])).toEqual([200]);
    }
    expect(await site.statuses(asks("/wrong", 6))).toEqual([...Array(5).fill(401), 429]);
  });

  it("keeps the ceiling of an unverified key, which is the address's", async () => {
    const site = await bareSite({ ...login, limit: 2, unverifiedCeiling: 3 }, { routes });
    const by = (path: string, key: string) => site.get(path, { headers: { "x-api-key": key } });
    expect((await by("/wrong", "a")).status).toBe(401);
    expect((await by("/wrong", "b")).status).toBe(401);
    expect((await by("/ok", "c")).status).toBe(200);
    expect((await by("/wrong", "d")).status).toBe(401);
    expect((await by("/wrong", "e")).status).toBe(429);
  });

  it("forgets in the policy that says so, and in no other", async () => {
    const policies = [
      { ...login, name: "failures" },
      { ...minute, name: "all", limit: 9 },
    ] as const;
    const site = await bareSite({ policies }, { routes });
    await site.statuses(["/wrong", "/wrong", "/ok"]);
    const { statuses } = await site.limiters[0]!.peek("ip:127.0.0.1");
    expect(statuses.map(({ remaining }) => remaining)).toEqual([5, 6]);
  });
});

describe("counting outcomes", () => {
  it.each<[Outcomes<IncomingMessage>, number[]]>([
    ["successful", [503, 401, 200, 200, 429, 429]],
    ["failed", [503, 401, 429, 429, 429, 429]],
    [["2xx"], [503, 401, 200, 200, 429, 429]],
    [
      [503, 404],
      [503, 401, 200, 200, 404, 429],
    ],
    [(status) => status === 401, [503, 401, 200, 200, 404, 503]],
    [async (status) => status === 200, [503, 401, 200, 200, 429, 429]],
  ])("charges only those of %o", async (count, statuses) => {
    const site = await bareSite({ ...minute, limit: 2, count }, { routes });
    const paths = ["/broken", "/wrong", "/ok", "/ok", "/gone", "/broken"];
    expect(await site.statuses(paths)).toEqual(statuses);
  });

  it("charges at the door: requests under way count, whatever becomes of them", async () => {
    let finish = (): void => {};
    let arrived = (): void => {};
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const slow: Handler = {
      until: () => new Promise<void>((resolve) => (finish = resolve)),
      reached: () => arrived(),
    };
    const site = await bareSite(
      { ...minute, limit: 1, count: "failed" },
      { routes: { ...routes, "GET /slow": slow } },
    );
    const exchange = site.start("/slow");
    await here;
    expect(await site.statuses(["/ok"])).toEqual([429]);
    finish();
    await exchange.answer;
    expect(await site.statuses(["/ok", "/wrong", "/ok"])).toEqual([200, 401, 429]);
  });

  it("refunds lists of statuses", async () => {
    const site = await bareSite({ ...minute, limit: 2, refund: [404, "5xx"] }, { routes });
    const paths = ["/broken", "/gone", "/wrong", "/gone", "/ok", "/gone"];
    expect(await site.statuses(paths)).toEqual([503, 404, 401, 404, 200, 429]);
  });

  it("tells onError of a function that fails, and neither forgets nor gives back", async () => {
    const errors: unknown[] = [];
    const fails = (): never => {
      throw new Error("mine");
    };
    const onError = (error: unknown): void => void errors.push((error as Error).message);
    const site = await bareSite(
      { ...minute, limit: 2, count: fails, resetOn: async () => fails(), onError },
      { routes },
    );
    expect(await site.statuses(asks("/ok", 3))).toEqual([200, 200, 429]);
    expect(errors).toEqual(Array(4).fill("mine"));
  });
});
