import { once } from "node:events";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import type { Request, Response } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { apiKey, ip, join, memoryStore, rateLimit, user } from "../../src/index.ts";
import { type Ask, ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { clock, minute, perMinute } from "../minute.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: Request, res: Response): void => void res.send("ok");
  const forwarded = (text: string, peer = "10.0.0.2"): readonly [string, Ask] => [
    "/",
    { peer, headers: { "x-forwarded-for": text } },
  ];

  describe("B07", () => {
    const names = [
      "x-forwarded-for",
      "forwarded",
      "x-real-ip",
      "cf-connecting-ip",
      "true-client-ip",
    ];
    const forged = (name: string, peer: string) =>
      [1, 2, 3].map((n): readonly [string, Ask] => {
        const text = name === "forwarded" ? `for=198.51.100.${n}` : `198.51.100.${n}`;
        return ["/", { peer, headers: { [name]: text } }];
      });

    it.each(names)("ignores a public peer's %s", async (name) => {
      const app = express().use(perMinute(2), ok);
      expect(await statuses(app, forged(name, "203.0.113.9"))).toEqual([200, 200, 429]);
    });

    it.each(names)("ignores anybody's %s with trustProxy false", async (name) => {
      const app = express().use(perMinute(2, { trustProxy: false }), ok);
      expect(await statuses(app, forged(name, "127.0.0.1"))).toEqual([200, 200, 429]);
    });
  });

  it("B08: counts hops from the right, so that nobody writes their own address", async () => {
    const app = express().set("trust proxy", 1).use(perMinute(2), ok);
    const chains = [1, 2, 3].map((n) => forwarded(`203.0.113.${n}, 198.51.100.7`));
    expect(await statuses(app, chains)).toEqual([200, 200, 429]);
    const other = await ask(app, ...forwarded("203.0.113.1, 198.51.100.8"));
    expect([other.status, other.headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
  });

  it("B09: serves and limits under an unsafe trust, and says so once", async () => {
    for (const [trust, code, peer, expected] of [
      [true, "SPILLWAY_TRUSTS_EVERYBODY", "203.0.113.9", [200, 200, 200, 429, 429]],
      [undefined, "SPILLWAY_FORWARDED_IGNORED", "203.0.113.9", [200, 200, 200, 429, 429]],
    ] as const) {
      const app = express();
      if (trust) app.set("trust proxy", trust);
      const codes: string[] = [];
      app.use(perMinute(3, { onWarning: ({ code }) => codes.push(code) }), ok);
      const asks = Array<ReturnType<typeof forwarded>>(5).fill(forwarded("198.51.100.1", peer));
      expect(await statuses(app, asks)).toEqual(expected);
      expect(codes).toEqual([code]);
    }
  });

  it("B09: does not let a failing hook for warnings reach a request", async () => {
    const onWarning = (): never => {
      throw new Error("mine");
    };
    const app = express().use(perMinute(1, { onWarning, onError: () => {} }), ok);
    expect(await statuses(app, [forwarded("198.51.100.1", "203.0.113.9")])).toEqual([200]);
  });

  it("B11: counts clients of a Unix socket as one, and warns once", async () => {
    const codes: string[] = [];
    const limit = perMinute(2, { headers: "draft-8", onWarning: ({ code }) => codes.push(code) });
    const server = createServer(express().use(limit, ok));
    const socketPath = path(
      tmpdir(),
      `spillway-b11-${process.pid}-${minute.window}-${sockets++}.sock`,
    );
    server.listen(socketPath);
    await once(server, "listening");
    onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
    const found: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const [answer] = await once(request({ socketPath, agent: false }).end(), "response");
      answer.resume();
      await once(answer, "close");
      found.push([answer.statusCode, answer.headers.ratelimit]);
    }
    expect(found).toEqual([
      [200, '"default";r=1;t=60'],
      [200, '"default";r=0;t=60'],
      [429, '"default";r=0;t=60'],
    ]);
    expect(codes).toEqual(["SPILLWAY_NO_ADDRESS"]);
  });

  it("B19: limits by address whoever invents credentials that are refused later", async () => {
    const app = express();
    const known = perMinute(100, { key: user() });
    app.use(perMinute(3, { key: ip() }));
    app.use((req, res, next) => {
      if (req.headers.authorization !== "Bearer valid") return void res.status(401).end();
      return next();
    });
    app.use(known, ok);
    const asks = [1, 2, 3, 4, 5, 6].map((n): readonly [string, Ask] => [
      "/",
      { peer: "192.0.2.9", headers: { authorization: `Bearer invented-${n}` } },
    ]);
    expect(await statuses(app, asks)).toEqual([401, 401, 401, 429, 429, 429]);
  });

  it("B19: limits them in one limiter too, where keys are verified", async () => {
    const verify = async (key: string): Promise<boolean> => key === "valid";
    const key = [apiKey({ header: "authorization", verify }), ip()];
    const app = express().use(perMinute(3, { key }), (_req, res) => void res.status(401).end());
    const asks = [1, 2, 3, 4].map((n): readonly [string, Ask] => [
      "/",
      { peer: "192.0.2.9", headers: { authorization: `Bearer invented-${n}` } },
    ]);
    expect(await statuses(app, asks)).toEqual([401, 401, 401, 429]);
  });

  it("B20: counts clients behind a declared proxy apart", async () => {
    for (const app of [
      express().set("trust proxy", "10.0.0.2").use(perMinute(1), ok),
      express().use(perMinute(1, { trustProxy: ["10.0.0.2"] }), ok),
      express().use(perMinute(1), ok),
    ]) {
      const asks = [forwarded("192.0.2.1"), forwarded("192.0.2.2"), forwarded("192.0.2.1")];
      expect(await statuses(app, asks)).toEqual([200, 200, 429]);
    }
  });

  describe("B22", () => {
    const email = (req: { body?: unknown }) =>
      (req.body as { email?: string } | undefined)?.email?.trim().toLowerCase();

    it("keeps a body's field out of the key of a route that does not use it", async () => {
      const app = express().use(express.json());
      const account = join(ip(), user({ from: email }));
      const limit = perMinute(2, { key: [account, ip()] });
      app.post("/login", limit, ok);
      app.post("/change-password", perMinute(2, { key: ip() }), ok);
      const asks = ["a", "b", "c"].map((name): readonly [string, Ask] => [
        "/change-password",
        { peer: "192.0.2.1", body: { email: `${name}@example.test` } },
      ]);
      expect(await statuses(app, asks)).toEqual([200, 200, 429]);
    });

    it("combines policies for the address and the account, all or none", async () => {
      const app = express().use(express.json());
      const policies = [
        { ...minute, name: "address", limit: 10, key: ip() },
        { ...minute, name: "account", limit: 2, key: user({ from: email }) },
      ];
      const limit = rateLimit({ policies, store: memoryStore({ clock }) });
      app.post("/login", limit, (_req, res) => void res.status(401).end());
      const asks = [1, 2, 3].map((n): readonly [string, Ask] => [
        "/login",
        { peer: `192.0.2.${n}`, body: { email: "a@example.test" } },
      ]);
      expect(await statuses(app, asks)).toEqual([401, 401, 429]);
      const { statuses: left } = await limit.limiter.peek("ip:192.0.2.3", { policy: "address" });
      expect(left[0]!.remaining).toBe(10);
    });
  });

  it("B23: takes no field but a string for a key", async () => {
    const app = express().use(express.json());
    app.use(perMinute(1, { key: (req) => (req.body as { email: string }).email }), ok);
    app.use((_error: unknown, _req: Request, res: Response, _next: unknown) => {
      res.status(400).end();
    });
    const text = "user@example.test";
    const values = [
      text,
      text.toUpperCase(),
      ` ${text} `,
      {},
      { a: 1 },
      [text],
      7,
      "7",
      true,
      text,
    ];
    const asks = values.map((email): readonly [string, Ask] => ["/", { body: { email } }]);
    expect(await statuses(app, asks)).toEqual([200, 200, 200, 400, 400, 400, 400, 200, 400, 429]);
  });
});

let sockets = 0;
