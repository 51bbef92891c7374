import { once } from "node:events";
import * as http from "node:http";
import { connection } from "@spillway/core/testing";
import { describe, expect, it } from "vitest";
import * as adapter from "../src/index.ts";
import { type Ask, ask, statuses } from "./ask.ts";
import { type Express, majors } from "./majors.ts";
import { run, snippets } from "./readme.ts";

type Proof = (app: Express, values: Record<string, unknown>) => Promise<void>;

const proofs: readonly [about: string, proof: Proof, ...names: string[]][] = [
  [
    "a start",
    async (app) => {
      const login: Ask = { method: "POST" };
      expect((await ask(app, "/login", login)).text).toBe("4 attempts left");
      const rest = Array<[string, Ask]>(5).fill(["/login", login]);
      expect(await statuses(app, rest)).toEqual([200, 200, 200, 200, 429]);
      const missing = await ask(app, "/nope");
      expect([missing.status, missing.headers["x-ratelimit-remaining"]]).toEqual([404, "93"]);
    },
  ],
  [
    "routes",
    async (app) => {
      const verify = ["/verify/1", "/VERIFY/2/", "/verify/3?x", "/verify/4"];
      expect(await statuses(app, verify)).toEqual([200, 200, 200, 429]);
      expect(await statuses(app, ["/reset", ["/reset", { method: "HEAD" }]])).toEqual([200, 200]);
    },
  ],
  [
    "a login",
    async (app) => {
      const attempt = ["/login", { body: { email: "a@example.test" } }] as const;
      const other = ["/login", { body: { email: "b@example.test" } }] as const;
      const all = await statuses(app, [...Array<typeof attempt>(6).fill(attempt), other]);
      expect(all).toEqual([...Array(5).fill(200), 429, 200]);
      // Neither is an account: only the address counts.
      const nobody = [{ email: {} }, {}].map((body) => ["/login", { body }] as const);
      expect(await statuses(app, [...nobody, ["/login", { method: "POST" }]])).toEqual([
        200, 200, 200,
      ]);
    },
  ],
  [
    "errors",
    async (app) => {
      await ask(app);
      const refused = await ask(app);
      expect([refused.status, refused.json()]).toEqual([
        429,
        { problem: "ERR_RATE_LIMITED", wait: expect.any(Number) },
      ]);
      expect(refused.lines("retry-after")).toHaveLength(1);
    },
  ],
  [
    "keys by hand",
    async (_, values) => expect(values).toMatchObject({ remaining: 100 }),
    "remaining",
  ],
  [
    "handshakes",
    async (_, { server }) => {
      const lines: string[] = [];
      for (let i = 0; i < 2; i++) {
        const client = connection(server as http.Server, "192.0.2.1").setEncoding("latin1");
        client.write(
          "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        );
        const [text] = await once(client, "data");
        lines.push(String(text).split("\r\n")[0]!);
        client.destroy();
      }
      expect(lines).toEqual(["HTTP/1.1 101 Switching Protocols", "HTTP/1.1 429 Too Many Requests"]);
    },
    "server",
  ],
];

describe.each(majors)("The README, on $name,", ({ express }) => {
  it.each(proofs.map(([about, ...rest], at) => ({ about, at, rest })))(
    "shows $about as it is",
    async ({ at, rest: [proof, ...names] }) => {
      const modules = {
        express: { default: express },
        "node:http": http,
        "@spillway/express": adapter,
      };
      const { app, ...values } = await run(snippets()[at]!, modules, ["app", ...names]);
      (app as Express).set("env", "test");
      await proof(app as Express, values);
    },
  );

  it("shows nothing else", () => expect(snippets()).toHaveLength(proofs.length));
});
