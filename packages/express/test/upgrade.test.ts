import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { connection } from "@spillway/core/testing";
import type { Express, Request } from "express";
import { describe, expect, it } from "vitest";
import type { rateLimit } from "../src/index.ts";
import { majors } from "./majors.ts";
import { perMinute } from "./minute.ts";

type Limit = ReturnType<typeof rateLimit>;

/** Sends a WebSocket handshake, and resolves with the first line and the head of the response. */
async function shake(
  limit: Limit,
  app: Express | undefined,
  headers = "",
  then?: (req: Request) => void,
): Promise<string> {
  const server = createServer().on("upgrade", async (req: IncomingMessage, socket: Duplex) => {
    if (await limit.checkUpgrade(req, socket, app)) socket.end("HTTP/1.1 101 OK\r\n\r\n");
    then?.(req as Request);
  });
  const client = connection(server, "203.0.113.9").setEncoding("latin1");
  client.write(
    `GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
  );
  let text = "";
  client.on("data", (chunk) => (text += chunk));
  await once(client, "end");
  return text;
}

describe.each(majors)("$name", ({ express }) => {
  it("B46: charges handshakes, and refuses them by HTTP", async () => {
    const limit = perMinute(2);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await shake(limit, undefined)).split("\r\n")[0]);
    expect(statuses).toEqual([
      "HTTP/1.1 101 OK",
      "HTTP/1.1 101 OK",
      "HTTP/1.1 429 Too Many Requests",
    ]);
    const refused = await shake(limit, undefined);
    expect(refused).toContain("\r\nRetry-After: 60\r\n");
    expect(refused).toContain("\r\nX-RateLimit-Remaining: 0\r\n");
  });

  it("shares its counters with the middleware", async () => {
    const limit = perMinute(2);
    await shake(limit, undefined);
    expect((await limit.limiter.peek("ip:203.0.113.9")).remaining).toBe(1);
  });

  it("trusts whom a named application trusts, and lets functions find what it offers", async () => {
    const seen: unknown[] = [];
    const limit = perMinute(2, {
      onDecision: ({ key }) => seen.push(key),
      skip: (req) => {
        seen.push((req as unknown as Request).get("x-forwarded-for"));
        return false;
      },
    });
    const app = express().set("trust proxy", 1);
    await shake(limit, app, "X-Forwarded-For: 203.0.113.1, 198.51.100.7\r\n");
    expect(seen).toEqual(["203.0.113.1, 198.51.100.7", "ip:198.51.100.7"]);
  });

  it("shows its decision on the request of a named application", async () => {
    const shown: unknown[] = [];
    const look = (req: Request): void => void shown.push(req.rateLimit?.remaining);
    await shake(perMinute(2), express(), "", look);
    expect(shown).toEqual([1]);
  });

  it("believes no public peer without an application", async () => {
    const seen: unknown[] = [];
    const limit = perMinute(2, { onDecision: ({ key }) => seen.push(key) });
    await shake(limit, undefined, "X-Forwarded-For: 198.51.100.7\r\n");
    expect(seen).toEqual(["ip:203.0.113.9"]);
  });
});
