import { createServer, type RequestListener } from "node:http";
import { isIP } from "node:net";
import { connection } from "@spillway/core/testing";
import type { Request, Response } from "express";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { apiKey, header, ip, memoryStore, rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";
import { clock, minute, perMinute } from "./minute.ts";

/** Sends bytes as they are, and resolves with the status; undefined if there is no response at all. */
function send(app: RequestListener, bytes: string, peer = "10.0.0.2"): Promise<number | undefined> {
  const client = connection(createServer(app), peer).setEncoding("latin1");
  let text = "";
  return new Promise((resolve) => {
    client.on("data", (chunk) => (text += chunk));
    client.on("close", () => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      resolve(status === undefined ? undefined : Number(status));
    });
    client.on("error", () => {});
    client.end(bytes, "latin1");
  });
}

const stray: unknown[] = [];
const note = (reason: unknown): void => void stray.push(reason);
process.on("unhandledRejection", note);
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
});

describe.each(majors)("$name", ({ express }) => {
  const ok = (req: Request, res: Response): void => void res.send(req.rateLimit?.key);
  const key = [apiKey({ header: ["x-api-key", "authorization"] }), header("x-tenant"), ip()];

  it("tells whoever forgot to call it so, and nothing of the request", async () => {
    const told: unknown[] = [];
    const app = express().use(rateLimit as never, ok);
    app.use(((error: Error, _req: Request, res: Response, _next: () => void) => {
      told.push(error.message);
      res.sendStatus(500);
    }) as never);
    const headers = { authorization: "Bearer secret", cookie: "sid=secret" };
    expect((await ask(app, "/", { headers })).status).toBe(500);
    expect(told).toEqual([expect.stringMatching(/^options: expected .*called once.* a request$/)]);
  });

  it("answers any headers, and never with its own failure", async () => {
    const app = express().set("env", "test").use(perMinute(1e6, { key }), ok);
    const name = fc.constantFrom(
      "x-api-key",
      "X-API-KEY",
      "authorization",
      "x-tenant",
      "x-forwarded-for",
      "forwarded",
      "__proto__",
      "constructor",
      "x-ratelimit-limit",
      "retry-after",
      "",
      "a b",
    );
    const unit = fc.oneof(
      fc.constantFrom(..."aA0:.,;\"'\\ %[]{}()\t"),
      fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    );
    const value = fc.oneof(
      fc.string({ unit, maxLength: 40 }),
      fc.constantFrom(
        "Bearer ",
        "Bearer a b",
        "undefined",
        "__proto__",
        "ip:none",
        "1\r\nX-Own: 1",
      ),
    );
    const lines = fc.array(fc.tuple(name, value), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lines, async (fields) => {
        const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        const status = await send(
          app,
          `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${head}\r\n`,
        );
        expect([200, 400, 431, undefined]).toContain(status);
      }),
      { numRuns: 150 },
    );
    expect((await ask(app)).status).toBe(200);
  });

  it("counts by an address whatever is forwarded, never by text", async () => {
    const app = express().use(perMinute(1e6), ok);
    const part = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((address) => `${address}:80`),
      fc.ipV6().map((address) => `[${address}]:443`),
      fc.constantFrom(
        "unknown",
        "",
        " ",
        "_hidden",
        "10.0.0.1",
        "for=1.2.3.4",
        "1.2.3",
        "'",
        "fe80::1%a",
      ),
      fc.string({ unit: fc.constantFrom(..."0f:.[]%\"' "), maxLength: 12 }),
    );
    const chain = fc.array(fc.array(part, { maxLength: 5 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(chain, async (chain) => {
        const headers = { "x-forwarded-for": chain.map((parts) => parts.join(", ").trim()) };
        const { status, text } = await ask(app, "/", { peer: "10.0.0.2", headers });
        expect(status).toBe(200);
        const [, address, , prefix] = /^ip:([0-9a-f:.]+)(\/(64))?$/.exec(text) ?? [];
        expect(isIP(address ?? "")).toBe(prefix ? 6 : 4);
      }),
      { numRuns: 150 },
    );
  });

  it("mixes no two clients, whatever their keys are", async () => {
    const app = express().use(perMinute(1, { key: header("x-tenant") }), (_req, res) => res.end());
    const seen = new Set<string>();
    const text = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom(...'a:,%"\\ #'),
          fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
        ),
        minLength: 1,
        maxLength: 300,
      })
      .map((text) => text.trim().replaceAll("\x7f", "~"))
      .filter((text) => text !== "");
    await fc.assert(
      fc.asyncProperty(text, async (tenant) => {
        const { status } = await ask(app, "/", { headers: { "x-tenant": tenant } });
        expect(status).toBe(seen.has(tenant) ? 429 : 200);
        seen.add(tenant);
      }),
      { numRuns: 150 },
    );
  });

  it("takes a header in several lines for one text", async () => {
    const app = express().use(perMinute(1e6, { key }), ok);
    const asked = async (headers: Record<string, string | string[]>) =>
      (await ask(app, "/", { peer: "192.0.2.1", headers })).text;
    expect(await asked({ "x-tenant": ["a", "b"] })).toBe("header:x-tenant:a, b");
    expect(await asked({ "x-api-key": ["a", "b"] })).not.toBe(await asked({ "x-api-key": "a" }));
    expect(await asked({ "x-api-key": ["a", "b"] })).toMatch(/^key:[\w-]{43}$/);
    // Node keeps only the first line of authorization.
    expect(await asked({ authorization: ["Bearer a", "Bearer b"] })).toBe(
      await asked({ authorization: "Bearer a" }),
    );
  });

  it("keeps keys of 64 KiB apart, and short", async () => {
    const keys: string[] = [];
    const app = express().use(express.json());
    const field = (req: { body?: unknown }): string => (req.body as { name: string }).name;
    app.use(perMinute(1, { key: field, onDecision: ({ key }) => keys.push(key) }), ok);
    const long = "x".repeat(65_535);
    const statuses: number[] = [];
    for (const name of [`${long}a`, `${long}b`, `${long}a`, `${long}b`]) {
      statuses.push((await ask(app, "/", { body: { name } })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    for (const key of keys) expect(key.length).toBeLessThan(100);
  });

  it("takes names of Object.prototype for keys like any other", async () => {
    const app = express().use(perMinute(2, { key: header("x-tenant") }), ok);
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
      const headers = { "x-tenant": name };
      const answers = [];
      for (let i = 0; i < 3; i++) answers.push(await ask(app, "/", { headers }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(answers.map((a) => a.headers["x-ratelimit-remaining"])).toEqual(["1", "0", "0"]);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("stays within its bounds under many distinct keys, and remembers the exhausted", async () => {
    const store = memoryStore({ maxKeys: 50, clock });
    const limit = rateLimit({ ...minute, limit: 2, key: header("x-tenant"), store });
    const app = express().use(limit, ok);
    const from = (tenant: string) => ask(app, "/", { headers: { "x-tenant": tenant } });
    expect([(await from("victim")).status, (await from("victim")).status]).toEqual([200, 200]);
    for (let i = 0; i < 300; i++) expect((await from(`t-${i}`)).status).toBe(200);
    expect(store.size).toBeLessThanOrEqual(50);
    expect((await from("victim")).status).toBe(429);
  });
});
