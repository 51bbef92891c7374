import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { bareFramework } from "../../test/http-scenarios/bare-server.ts";
import { memoryStore } from "../memory-store.ts";
import { connection, manualClock } from "../testing/index.ts";
import { createGuard } from "./guard.ts";
import type { HttpOptions } from "./options/http-options.ts";
import { admitUpgrade } from "./upgrade.ts";

type Options = Partial<HttpOptions<IncomingMessage>>;

/** Serves handshakes, and sends them from one address. */
function serve(options: Options) {
  const guard = createGuard(bareFramework(), {
    limit: 1,
    window: "1m",
    algorithm: "fixed-window",
    store: memoryStore({ clock: manualClock() }),
    ...options,
  } as HttpOptions<IncomingMessage>);
  const sockets: Duplex[] = [];
  const server = createServer().on("upgrade", async (req: IncomingMessage, socket: Duplex) => {
    sockets.push(socket);
    if (await admitUpgrade(guard, req, socket, (raw) => raw)) socket.end("HTTP/1.1 101 OK\r\n\r\n");
  });
  function begin(): Duplex {
    const client = connection(server, "192.0.2.1");
    client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    return client;
  }
  return {
    sockets,
    begin,
    async shake(leave = false): Promise<string> {
      const client = begin();
      if (leave) {
        client.destroy();
        await once(client, "close");
        return "";
      }
      let text = "";
      // The client's own end stays open: the refusing side has to close.
      for await (const chunk of client.setEncoding("latin1")) text += chunk;
      return text;
    },
  };
}

describe("admitUpgrade", () => {
  it("lets handshakes pass, and refuses by plain HTTP with all the fields", async () => {
    const { shake } = serve({});
    expect(await shake()).toBe("HTTP/1.1 101 OK\r\n\r\n");
    const body =
      '{"error":"Too Many Requests","message":"Rate limit exceeded. Retry in 60 seconds.","retryAfter":60,"limit":1,"policy":"default"}';
    expect((await shake()).split("\r\n")).toEqual([
      "HTTP/1.1 429 Too Many Requests",
      "X-RateLimit-Limit: 1",
      "X-RateLimit-Remaining: 0",
      "X-RateLimit-Reset: 1700006460",
      "Retry-After: 60",
      "Cache-Control: no-store",
      "Content-Type: application/json; charset=utf-8",
      // RFC 9110, 6.6.1: a server with a clock sends the date with a refusal.
      expect.stringMatching(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      body,
    ]);
  });

  it("lets go of the socket of a refused handshake, even if its client does not", async () => {
    const { shake, sockets } = serve({ limit: 0 });
    await shake();
    const [socket] = sockets;
    if (!socket!.destroyed) await once(socket!, "close");
    expect(socket!.destroyed).toBe(true);
  });

  it("answers where errors are asked for, since nobody would catch one", async () => {
    const { shake } = serve({ limit: 0, throw: true });
    expect(await shake()).toMatch(/^HTTP\/1\.1 429 /);
  });

  it("writes a status that has no words", async () => {
    const { shake } = serve({ limit: 0, status: 499 });
    expect(await shake()).toMatch(/^HTTP\/1\.1 499 \r\n/);
  });

  it("does not hold handshakes that are only metered", async () => {
    const { shake } = serve({ algorithm: "leaky-bucket", window: "1h", burst: 2, delay: false });
    expect([await shake(), await shake()]).toEqual(Array(2).fill("HTTP/1.1 101 OK\r\n\r\n"));
  });

  it.each([
    ["by its policy", { algorithm: "token-bucket", action: "delay", maxDelay: "1h" }],
    ["by its bucket", { algorithm: "leaky-bucket", burst: 2 }],
  ] as const)(
    "notices that a client closes its half, while the handshake is held %s",
    async (_, held) => {
      const store = memoryStore({ clock: manualClock() });
      const { shake, begin, sockets } = serve({ ...held, window: "1h", store, maxHeld: 1 });
      expect(await shake()).toMatch(/ 101 /);
      const client = begin();
      client.end();
      while (sockets.length < 2) await new Promise(setImmediate);
      if (!sockets[1]!.closed) await once(sockets[1]!, "close");
      expect(client.read()).toBe(null);
      expect(sockets[1]!.destroyed).toBe(true);
    },
  );

  it("answers 500 to what a function of the options throws, and reports it with the request", async () => {
    const failures = [
      () => {
        throw new Error("mine");
      },
      () => Promise.reject(new Error("mine")),
    ];
    for (const key of failures) {
      const told: unknown[] = [];
      const onError = (error: unknown, req: IncomingMessage): void => {
        told.push((error as Error).message, req.url);
      };
      const { shake } = serve({ key, onError });
      expect(await shake()).toMatch(
        /^HTTP\/1\.1 500 Internal Server Error\r\n[\s\S]*\r\n\r\nInternal Server Error$/,
      );
      expect(told).toEqual(["mine", "/"]);
    }
  });

  it("fails closed with 503 and no promise", async () => {
    const store = { take: () => Promise.reject(new Error("down")), give() {}, reset() {} };
    const text = await serve({ store, onStoreError: "closed", onError: () => {} }).shake();
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(text).not.toMatch(/Retry-After|RateLimit/);
  });

  it("outlives a client that leaves meanwhile", async () => {
    let decide = (): void => {};
    const asked = new Promise<void>((resolve) => {
      const cost = (): Promise<number> =>
        new Promise((answer) => {
          decide = () => answer(1);
          resolve();
        });
      site = serve({ limit: 0, cost });
    });
    const left = site.shake(true);
    await asked;
    await left;
    decide();
    const [socket] = site.sockets;
    if (!socket!.closed) await once(socket!, "close");
    expect(socket!.destroyed).toBe(true);
  });
});

let site: ReturnType<typeof serve>;
