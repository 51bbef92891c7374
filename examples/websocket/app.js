import { createServer } from "node:http";
import { createLimiter, memoryStore } from "@spillway/core";
import { ip, rateLimit } from "@spillway/express";
import express from "express";
import { WebSocketServer } from "ws";

/**
 * Makes a server that answers over HTTP, and echoes what it is told over WebSockets: five handshakes a
 * minute per address, and ten messages a second per connection.
 *
 * @param {{ store?: import("@spillway/core").Store }} [options]
 */
export function createApp({ store = memoryStore() } = {}) {
  const app = express();
  app.get("/", (_req, res) => {
    res.json({ message: "Come in by WebSocket." });
  });

  const server = createServer(app);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });
  const handshakes = rateLimit({ name: "handshakes", limit: 5, window: "1m", key: ip(), store });
  const messages = createLimiter({ name: "messages", limit: 10, window: "1s", store });
  let connections = 0;

  // Express never sees an upgrade; where it is refused, the client has its 429 already
  server.on("upgrade", async (req, socket, head) => {
    if (!(await handshakes.checkUpgrade(req, socket))) return;
    sockets.handleUpgrade(req, socket, head, (client) => {
      const key = `connection ${++connections}`;
      client.on("error", () => client.terminate());
      client.on("close", () => messages.reset(key));
      client.on("message", async (data) => {
        const { allowed, retryAfter } = await messages.check(key);
        client.send(allowed ? String(data) : JSON.stringify({ error: "Too fast", retryAfter }));
      });
    });
  });
  return server;
}
