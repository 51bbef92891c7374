import { execFile } from "node:child_process";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { manualClock } from "@spillway/core/testing";
import { memoryStore } from "@spillway/express";
import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "./app.js";
import { portOf } from "./port.js";
import { serve } from "./serve.js";
import { welcome } from "./welcome.js";

const open: { close(): unknown }[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function started(): Promise<Server> {
  const server = await serve(createApp({ store: memoryStore({ clock: manualClock() }) }), 0);
  open.push(server);
  return server;
}

function portOfServer(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}

describe("the quick start", { timeout: 30_000 }, () => {
  it("answers twenty requests with the headers and refuses the next", async () => {
    const url = `http://localhost:${portOfServer(await started())}/`;
    for (let left = 19; left >= 0; left--) {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-ratelimit-limit")).toBe("20");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(left));
      expect(await answer.json()).toEqual({ message: "Here you are." });
    }
    const refused = await fetch(url);
    expect(refused.status).toBe(429);
    // A full window of twenty, of which one is forgotten three seconds into the next.
    expect(refused.headers.get("retry-after")).toBe("63");
    expect(await refused.json()).toMatchObject({ error: "Too Many Requests", limit: 20 });
  });

  it("prints a line for the shell that ends with the refusal", async (context) => {
    const line = welcome(portOfServer(await started()))
      .split("\n")
      .find((text) => text.includes("curl"));
    const tools = ["sh", "curl", "grep", "seq"].map((tool) => promisify(execFile)("which", [tool]));
    if ((await Promise.allSettled(tools)).some(({ status }) => status === "rejected")) {
      return context.skip("needs sh, curl, grep and seq");
    }
    const { stdout } = await promisify(execFile)("sh", ["-c", line!]);
    const answers = stdout.trim().split("\n\n");
    expect(answers).toHaveLength(21);
    expect(answers[0]).toMatch(/^HTTP\/1.1 200 OK\r?\nX-RateLimit-Limit: 20\r?\n/);
    expect(answers[19]).toContain("X-RateLimit-Remaining: 0");
    expect(answers[20]).toMatch(
      /^HTTP\/1.1 429 .*Retry-After: 63\r?\n.*"error":"Too Many Requests"/s,
    );
  });

  it("says what to do where the port is in use", async () => {
    const taken = createServer();
    open.push(taken);
    await new Promise<void>((listening) => taken.listen(0, listening));
    const port = portOfServer(taken);
    await expect(serve(createApp(), port)).rejects.toThrow(
      new RegExp(`^Port ${port} is in use\\..* PORT=\\d+ npm start$`),
    );
  });

  it.each([
    [undefined, 3000],
    ["", 3000],
    ["0", 0],
    ["8080", 8080],
    ["65535", 65_535],
  ])("reads PORT %j as %i", (text, port) => {
    expect(portOf(text)).toBe(port);
  });

  it.each(["65536", "-1", "3000.5", "http", "0x10", " 80"])("refuses PORT %j", (text) => {
    expect(() => portOf(text)).toThrow(/^PORT is ".*": expected a whole number from 0 to 65535\.$/);
  });
});
