import { request } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify, { type FastifyServerOptions } from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { type FastifyRateLimitOptions } from "../src/index.ts";
import { windowOf } from "./window.ts";

type Trust = Pick<FastifyServerOptions, "trustProxy">;

interface Row {
  /** The settings of the application, and of the limiter. */
  readonly app?: unknown;
  readonly limiter?: FastifyRateLimitOptions["trustProxy"];
  readonly peer: string;
  readonly forwarded?: string;
  readonly address: string;
  readonly warning?: string;
}

const everybody = "SPILLWAY_TRUSTS_EVERYBODY";
const hops = "SPILLWAY_HOPS_IGNORED";
const ignored = "SPILLWAY_FORWARDED_IGNORED";

const rows: readonly Row[] = [
  { peer: "10.0.0.9", forwarded: "6.6.6.6, 198.51.100.7", address: "198.51.100.7" },
  { peer: "192.0.2.9", forwarded: "6.6.6.6", address: "192.0.2.9", warning: ignored },
  { app: false, peer: "10.0.0.9", forwarded: "6.6.6.6", address: "10.0.0.9" },
  {
    app: true,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 1.1.1.1",
    address: "6.6.6.6",
    warning: everybody,
  },
  {
    app: "192.0.2.0/24",
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
  },
  { app: ["192.0.2.9"], peer: "192.0.2.8", forwarded: "6.6.6.6", address: "192.0.2.8" },
  {
    app: 1,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
    warning: hops,
  },
  {
    app: 2,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7, 192.0.2.8",
    address: "198.51.100.7",
    warning: hops,
  },
  { app: 2, peer: "192.0.2.9", forwarded: "6.6.6.6", address: "192.0.2.9", warning: hops },
  {
    app: 1.5,
    peer: "192.0.2.9",
    forwarded: "198.51.100.7, 192.0.2.8",
    address: "198.51.100.7",
    warning: hops,
  },
  {
    app: Number.POSITIVE_INFINITY,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "192.0.2.9",
    warning: hops,
  },
  { app: 0, peer: "10.0.0.9", forwarded: "6.6.6.6", address: "10.0.0.9", warning: hops },
  {
    app: true,
    limiter: 1,
    peer: "192.0.2.9",
    forwarded: "6.6.6.6, 198.51.100.7",
    address: "198.51.100.7",
  },
  { app: true, limiter: false, peer: "10.0.0.9", forwarded: "6.6.6.6", address: "10.0.0.9" },
  {
    app: true,
    limiter: "framework",
    peer: "192.0.2.9",
    forwarded: "6.6.6.6",
    address: "6.6.6.6",
    warning: everybody,
  },
  { app: "192.0.2.9", peer: "192.0.2.9", forwarded: "no address", address: "192.0.2.9" },
  {
    app: "192.0.2.9",
    peer: "192.0.2.9",
    forwarded: "[2001:db8:1:2::7]:443",
    address: "2001:db8:1:2::/64",
  },
];

describe("the client's address", () => {
  it.each(rows)(
    "is $address where the application trusts $app, the limiter $limiter, and $peer forwards $forwarded",
    async (row) => {
      const warnings: string[] = [];
      const app = Fastify(row.app === undefined ? {} : ({ trustProxy: row.app } as Trust));
      await app.register(rateLimit, {
        ...windowOf(9),
        trustProxy: row.limiter,
        onWarning: ({ code }) => void warnings.push(code),
      });
      app.get("/", async (asked) => asked.rateLimit?.key);
      const headers = { "x-forwarded-for": row.forwarded };
      const inject = { url: "/", remoteAddress: row.peer, headers };
      await app.inject(inject);
      expect((await app.inject(inject)).body).toBe(`ip:${row.address}`);
      expect(warnings).toEqual(row.warning === undefined ? [] : [row.warning]);
    },
  );

  it("is found below a number of hops on a real socket, whatever request.ip is", async () => {
    const app = Fastify({ trustProxy: 1 } as unknown as Trust);
    await app.register(rateLimit, { ...windowOf(9), onWarning: () => {} });
    app.get("/", async (asked) => asked.rateLimit?.key);
    await app.listen({ port: 0, host: "127.0.0.1" });
    const headers = { "x-forwarded-for": "6.6.6.6, 198.51.100.7" };
    const answer = await fetch(app.listeningOrigin, { headers });
    expect(await answer.text()).toBe("ip:198.51.100.7");
    await app.close();
  });

  it("counts alike on every address that the application listens on", async () => {
    const app = Fastify();
    await app.register(rateLimit, windowOf(2));
    app.get("/", async () => "ok");
    await app.listen({ port: 0, host: "localhost" });
    const listening = app.addresses() as AddressInfo[];
    const seen: number[] = [];
    for (const { address, port } of listening) {
      for (let i = 0; i < 3; i++) seen.push(await statusOf(address, port));
    }
    expect(seen).toEqual(listening.flatMap(() => [200, 200, 429]));
    await app.close();
  });
});

function statusOf(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request({ host, port, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode!));
    });
    asking.on("error", reject).end();
  });
}
