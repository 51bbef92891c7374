import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { memoryStore } from "@spillway/core";
import { type ManualClock, manualClock } from "@spillway/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createApp } from "./app.js";

let server: Server;
let clock: ManualClock;
let host: string;
const clients: WebSocket[] = [];

beforeEach(async () => {
  clock = manualClock();
  server = createApp({ store: memoryStore({ clock }) }).listen(0);
  await once(server, "listening");
  host = `localhost:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await new Promise((closed) => server.close(closed));
});

async function connect(from = "192.0.2.1"): Promise<WebSocket> {
  const client = new WebSocket(`ws://${host}`, { headers: { "x-forwarded-for": from } });
  clients.push(client);
  await once(client, "open");
  return client;
}

/** Returns the response to a refused handshake. */
async function refusal(from = "192.0.2.1"): Promise<IncomingMessage> {
  const client = new WebSocket(`ws://${host}`, { headers: { "x-forwarded-for": from } });
  const [, answer] = await once(client, "unexpected-response");
  return answer as IncomingMessage;
}

async function echoOf(client: WebSocket, text: string): Promise<string> {
  const answer = once(client, "message");
  client.send(text);
  const [data] = await answer;
  return String(data);
}

describe("WebSockets beside Express", { timeout: 30_000 }, () => {
  it("opens five connections a minute for an address and refuses the next over HTTP", async () => {
    for (let i = 0; i < 5; i++) await connect();
    const answer = await refusal();
    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("72");
    const body = JSON.parse(Buffer.concat(await answer.toArray()).toString());
    expect(body).toMatchObject({ error: "Too Many Requests", policy: "handshakes", limit: 5 });

    await connect("192.0.2.2");
    clock.advance(71_999);
    expect((await refusal()).statusCode).toBe(429);
    clock.advance(1);
    await connect();
  });

  it("counts messages by connection, and never as handshakes", async () => {
    const [one, other] = [await connect(), await connect()];
    for (let i = 0; i < 10; i++) expect(await echoOf(one, `hello ${i}`)).toBe(`hello ${i}`);
    const { error, retryAfter } = JSON.parse(await echoOf(one, "hello"));
    expect(error).toBe("Too fast");
    expect(await echoOf(other, "hello")).toBe("hello");
    clock.advance(retryAfter);
    expect(await echoOf(one, "hello again")).toBe("hello again");
    for (let i = 0; i < 3; i++) await connect();
  });

  it("answers over HTTP as ever", async () => {
    for (let i = 0; i < 10; i++) expect((await fetch(`http://${host}/`)).status).toBe(200);
  });
});
