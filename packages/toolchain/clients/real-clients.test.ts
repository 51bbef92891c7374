import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { Octokit } from "@octokit/core";
import { throttling } from "@octokit/plugin-throttling";
import { rateLimit } from "@spillway/express";
import axios from "axios";
import axiosRetry from "axios-retry";
import express from "express";
import got from "got";
import ky from "ky";
import { Agent, RetryAgent, request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** One request in two seconds, so that a client that asks at once must wait for its second. */
const window = 2000;

let server: Server;
let base: string;
let answers: { status: number; at: number }[];

beforeEach(async () => {
  answers = [];
  const app = express();
  app.use((_req, res, next) => {
    res.on("finish", () => answers.push({ status: res.statusCode, at: performance.now() }));
    next();
  });
  app.use(rateLimit({ limit: 1, window, algorithm: "fixed-window", align: "first-request" }));
  app.get("/", (_req, res) => {
    res.json({ fine: true });
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** What each client does by its own retrying; answers the status that it ends with. */
const clients: Record<string, (url: string) => Promise<number>> = {
  async "curl --retry"(url) {
    // No -o /dev/null: before a retry curl truncates its output, which a device refuses.
    const args = ["-s", "-w", "\n%{http_code}", "--retry", "3", url];
    const { stdout } = await promisify(execFile)("curl", args);
    return Number(stdout.trimEnd().split("\n").at(-1));
  },
  got: async (url) => (await got(url, { retry: { limit: 2 } })).statusCode,
  ky: async (url) => (await ky(url, { retry: 2 })).status,
  async "axios-retry"(url) {
    const client = axios.create();
    axiosRetry(client, { retries: 2, retryCondition: (error) => error.response?.status === 429 });
    return (await client.get(url)).status;
  },
  async "undici RetryAgent"(url) {
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: 2 });
    const { statusCode, body } = await request(url, { dispatcher });
    await body.dump();
    await dispatcher.close();
    return statusCode;
  },
  async "octokit throttling"(url) {
    const Throttled = Octokit.plugin(throttling);
    const again = (_after: number, _options: unknown, _octokit: unknown, tries: number): boolean =>
      tries < 2;
    const octokit = new Throttled({
      baseUrl: url.slice(0, -1),
      throttle: { onRateLimit: again, onSecondaryRateLimit: again },
    });
    return (await octokit.request("GET /")).status;
  },
};

describe("real clients wait as told, and then succeed", () => {
  it.each(Object.entries(clients))("%s", { timeout: 20_000 }, async (_name, ask) => {
    expect(await clients.got!(base)).toBe(200);
    expect(await ask(base)).toBe(200);
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
    expect(answers[2]!.at - answers[0]!.at).toBeGreaterThanOrEqual(window - 50);
  });
});
