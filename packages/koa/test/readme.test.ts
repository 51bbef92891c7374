import { once } from "node:events";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import * as router from "@koa/router";
import type Koa from "koa";
import * as koa from "koa";
import { expect, it } from "vitest";
import * as adapter from "../src/index.ts";
import { ask, statuses } from "./ask.ts";
import { run, snippets } from "./readme.ts";

type Proof = (app: Koa, values: Record<string, unknown>) => Promise<void>;

const proofs: readonly [about: string, proof: Proof, ...names: string[]][] = [
  [
    "a start",
    async (app) => {
      const seen: unknown[] = [];
      for (const path of ["/search", "/nope"]) {
        const { status, headers } = await ask(app, path);
        seen.push([status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]);
      }
      expect(seen).toEqual([
        [200, "10", "9"],
        [404, "100", "98"],
      ]);
    },
  ],
  [
    "a limit by user",
    async (app) => {
      const { headers } = await ask(app, { headers: { "x-user": "ada" } });
      expect(headers).toMatchObject({
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "999",
      });
    },
  ],
  [
    "errors",
    async (app) => {
      expect(await statuses(app, "/")).toEqual([404]);
      const { status, body } = await ask(app);
      expect([status, body]).toEqual([
        429,
        { problem: "ERR_RATE_LIMITED", wait: expect.any(Number) },
      ]);
    },
  ],
  [
    "keys by hand",
    async (_, values) => expect(values).toMatchObject({ remaining: 100 }),
    "remaining",
  ],
  [
    "upgrades",
    async (_, { server }) => {
      const listening = server as http.Server;
      await once(listening.listen(0, "127.0.0.1"), "listening");
      const { port } = listening.address() as AddressInfo;
      const seen: unknown[] = [];
      for (let i = 0; i < 6; i++) {
        const headers = { connection: "Upgrade", upgrade: "echo" };
        const asking = http.request({ port, host: "127.0.0.1", headers }).end();
        const answer = await Promise.race([once(asking, "upgrade"), once(asking, "response")]);
        seen.push(answer[0].statusCode);
        answer[0].socket.destroy();
      }
      expect(seen).toEqual([101, 101, 101, 101, 101, 429]);
      listening.close();
    },
    "server",
  ],
];

/** What the snippet on upgrades leaves to the reader. */
function openSocket(_request: http.IncomingMessage, socket: Duplex): void {
  socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
}

it.each(proofs.map(([about, ...rest], at) => ({ about, at, rest })))(
  "The README shows $about as it is",
  async ({ at, rest: [proof, ...names] }) => {
    const modules = {
      koa,
      "@koa/router": router,
      "@spillway/koa": adapter,
      "node:http": http,
      given: { openSocket },
    };
    const snippet = `import { openSocket } from "given";\n${snippets()[at]}`;
    const { app, ...values } = await run(snippet, modules, ["app", ...names]);
    await proof(app as Koa, values);
  },
);

it("The README shows nothing else", () => expect(snippets()).toHaveLength(proofs.length));
