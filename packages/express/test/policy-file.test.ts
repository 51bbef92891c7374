import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Decision, memoryStore } from "@spillway/core";
import { policyFile, readPolicyFile, watchPolicies } from "@spillway/core/policy-file";
import { manualClock } from "@spillway/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RateLimitOptions, rateLimit } from "../src/index.ts";
import { majors } from "./majors.ts";

/** Contains every option of a limiter, of rules and of policies at least once. */
const everything = `
$schema: https://example.com/policy-file.schema.json
version: 7
note: What a test says.
headers: [draft-8, github]
reset: delta
status: 429
body: { value: { error: slow down, wait: "{retryAfter}", text: "{remaining} of {limit} in {policy}" } }
shadow: false
nearLimit: 0.5
allow:
  - 198.51.100.7
  - { key: "user:root", reason: staff }
  - { when: { use: partner }, late: true, reason: partner }
deny: [{ cidr: [203.0.113.0/24], reason: abuse }]
denyStatus: 451
onStoreError: closed
trustProxy: 1
ipv6Prefix: 56
exposeHeaders: true
throw: false
maxHeld: 5
matching: all
rules:
  - { name: health, match: GET /health, unlimited: true, note: for the load balancer }
  - name: everywhere
    key: [{ apiKey: { header: x-key, verify: { use: known }, unverifiedCeiling: false } }, user, { ip: { ipv4Prefix: 24 } }]
    limit: { by: identity, of: { anonymous: 20 }, otherwise: 100 }
    window: { by: { header: x-long }, of: { yes: 2h }, otherwise: 1h }
    algorithm: token-bucket
    burst: { use: burst }
    cost: { by: method, of: { GET: 1, POST: 5 }, otherwise: 2 }
    skip: { use: internal }
    tier: [{ claim: plan }, { query: plan }, { cookie: plan }, { user: team.plan }]
    tiers: { pro: { limit: 1000, burst: 500, window: 1m } }
    onStoreError: open
    unverifiedCeiling: 50
  - name: search
    match: [/search, { method: GET, path: /find/*, host: localhost, header: { accept: true }, when: { use: always }, caseSensitive: true }]
    replaces: [everywhere]
    policies:
      - { name: search-burst, key: userAgent, limit: 3, window: 10s, segments: 2, unidentified: skip, countRefused: false }
      - { name: search-day, key: everyone, limit: 1000, window: day, algorithm: fixed-window, timeZone: Europe/Berlin }
  - name: login
    match: POST /login
    replaces: [everywhere]
    key: { join: [ip, { header: x-account }] }
    limit: 2
    window: 1m
    algorithm: fixed-window
    align: first-request
    count: [401, 4xx]
    resetOn: successful
    ban: { after: 1, within: 1m, for: 10m, factor: 2, ceiling: 1h, extend: false, status: 423, body: { value: "locked for {retryAfter}s" } }
  - name: upload
    match: POST /upload
    replaces: [everywhere]
    key: [{ query: tenant }, { cookie: tenant }, { claim: tenant }, { user: team.id }, { user: { use: owner } }, { use: owner }]
    limit: 1
    window: 1m
    refund: [5xx]
    action: { answer: { status: 418, headers: { x-challenge: solve }, body: { challenge: "{policy}" } } }
  - name: pace
    match: /paced
    replaces: [everywhere]
    limit: 5
    window: 1m
    algorithm: leaky-bucket
    delay: false
    action: delay
    maxDelay: 2s
  - { name: watched, match: /shadow, replaces: [everywhere], limit: 0, window: 1m, shadow: true }
`;

const functions = {
  partner: ({ headers }: { headers: Record<string, unknown> }) => headers["x-partner"] === "yes",
  known: (key: string) => key.startsWith("live-"),
  burst: () => 20,
  internal: () => false,
  always: () => true,
  owner: () => undefined,
};

let folder: string;
let file: string;
let server: Server | undefined;
const clock = manualClock();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spillway-express-"));
  file = join(folder, "policies.yaml");
  await writeFile(file, everything);
});
afterEach(async () => {
  server?.close();
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
  readonly user?: object;
  readonly answer?: number;
}

/** Serves an application with a limiter of these options, and sends it requests. */
async function serve(express: (typeof majors)[number]["express"], options: object) {
  const app = express();
  const told: string[] = [];
  let decision: Decision | undefined;
  app.use((req, _res, next) => {
    const { "x-user": user } = req.headers;
    if (user) Object.assign(req, { user: JSON.parse(String(user)) });
    next();
  });
  app.use(
    rateLimit({
      ...options,
      store: memoryStore({ clock }),
      onDecision: (made: Decision) => {
        decision = made;
      },
      onNearLimit: ({ policy }: Decision) => told.push(`near ${policy}`),
      onWarning: ({ code }: { code: string }) => told.push(code),
      onError: (error: unknown) => told.push(String(error)),
    } as unknown as RateLimitOptions),
  );
  app.use((req, res) => {
    res.status(Number(req.headers["x-answer"] ?? 200)).send("ok");
  });
  server = createServer(app).listen(0, "127.0.0.1");
  await new Promise<unknown>((resolve) => server?.once("listening", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    told,
    async ask(path: string, { method = "GET", headers, from, user, answer }: Asked = {}) {
      decision = undefined;
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...headers,
          "x-forwarded-for": from ?? "192.0.2.1",
          ...(user && { "x-user": JSON.stringify(user) }),
          ...(answer && { "x-answer": String(answer) }),
        },
      });
      const text = await response.text();
      const { policy, reason, detail, limit, remaining, key } = decision ?? ({} as Decision);
      const made = { policy, reason, detail, limit, remaining, key };
      return { status: response.status, headers: response.headers, text, ...made };
    },
  };
}

it("has every option that there is", () => {
  const kinds = (policyFile as unknown as { options: readonly Kind[] }).options;
  const known = new Set(kinds.flatMap(({ shape }) => Object.keys(shape)));
  for (const name of ["match", "replaces", "unlimited"]) known.add(name);
  const left = [...known].filter(
    (name) => !everything.includes(`${name}: `) && !everything.includes(`${name}:\n`),
  );
  expect(known.size).toBeGreaterThan(40);
  expect(left).toEqual([]);
});

interface Kind {
  readonly shape: object;
}

describe.each(majors)("$name, by a policy file with every option", ({ express }) => {
  it("does what each of them says", async () => {
    const { ask, told } = await serve(express, await readPolicyFile(file, { functions }));

    expect(await ask("/health")).toMatchObject({ status: 200, reason: "skipped" });
    expect(await ask("/", { from: "198.51.100.7" })).toMatchObject({ reason: "skipped" });
    expect(await ask("/", { user: { id: "root" } })).toMatchObject({ detail: "staff" });
    expect(await ask("/", { from: "203.0.113.9" })).toMatchObject({
      status: 451,
      reason: "blocked",
      detail: "abuse",
    });

    const read = await ask("/");
    expect(read).toMatchObject({ policy: "everywhere", limit: 20, remaining: 19 });
    expect(read.headers.get("ratelimit")).toContain('"everywhere";r=19');
    expect(read.headers.get("x-ratelimit-used")).toBe("1");
    expect(read.headers.get("access-control-expose-headers")).toContain("RateLimit");
    expect(await ask("/", { method: "POST" })).toMatchObject({ remaining: 14 });
    expect(await ask("/", { method: "PUT", from: "192.0.2.200" })).toMatchObject({ remaining: 12 });
    expect(await ask("/", { user: { id: "a" } })).toMatchObject({ limit: 100, key: "user:a" });
    const pro = { id: "b", team: { plan: "pro" } };
    expect(await ask("/", { user: pro })).toMatchObject({ limit: 1000, remaining: 499 });
    expect(await ask("/?plan=pro", { user: { id: "c" } })).toMatchObject({ limit: 1000 });
    expect((await ask("/", { headers: { "x-key": "live-1" } })).key).toMatch(/^key:/);

    const agent = { headers: { "user-agent": "robot" } };
    for (const remaining of [2, 1, 0]) {
      expect(await ask("/search", agent)).toMatchObject({ status: 200, remaining });
    }
    expect(told).toEqual(["near search-burst"]);
    const refused = await ask("/search", agent);
    expect(JSON.parse(refused.text)).toEqual({
      error: "slow down",
      wait: Number(refused.headers.get("retry-after")),
      text: "0 of 3 in search-burst",
    });
    const partner = { headers: { "user-agent": "robot", "x-partner": "yes" } };
    expect(await ask("/search", partner)).toMatchObject({ reason: "skipped", detail: "partner" });

    const login = { method: "POST", headers: { "x-account": "ada" } };
    for (let i = 0; i < 5; i++) expect((await ask("/login", login)).status).toBe(200);
    const wrong = { ...login, answer: 401 };
    expect((await ask("/login", wrong)).status).toBe(401);
    expect((await ask("/login", login)).remaining).toBe(0);
    for (let i = 0; i < 2; i++) expect((await ask("/login", wrong)).status).toBe(401);
    expect((await ask("/login", login)).status).toBe(423);
    clock.advance(60_000);
    expect(await ask("/login", login)).toMatchObject({ status: 423, text: "locked for 540s" });
    clock.advance(540_000);
    expect((await ask("/login", login)).status).toBe(200);

    const upload = { method: "POST", user: { id: "d", team: { id: 42 } } };
    expect((await ask("/upload", { ...upload, answer: 503 })).status).toBe(503);
    expect((await ask("/upload", upload)).key).toContain("42");
    const challenged = await ask("/upload", upload);
    expect(challenged).toMatchObject({ status: 418, text: '{"challenge":"upload"}' });
    expect(challenged.headers.get("x-challenge")).toBe("solve");

    expect(await ask("/paced")).toMatchObject({ status: 200, policy: "pace" });
    expect(await ask("/shadow")).toMatchObject({ status: 200, policy: "watched" });
  });

  it("takes what is written while it runs, at once and without a refill", async () => {
    const text = (limit: number): string =>
      `limit: ${limit}\nwindow: 1h\nalgorithm: fixed-window\n`;
    await writeFile(file, text(5));
    const source = await watchPolicies(file, { functions });
    const next = (): Promise<unknown> => new Promise((resolve) => void source.subscribe(resolve));
    try {
      const { ask, told } = await serve(express, { source });
      for (const remaining of [4, 3, 2]) expect(await ask("/")).toMatchObject({ remaining });
      const raised = next();
      await writeFile(`${file}.new`, text(10));
      await rename(`${file}.new`, file);
      await raised;
      expect(await ask("/")).toMatchObject({ limit: 10, remaining: 6 });
      const lowered = next();
      await writeFile(`${file}.new`, text(4));
      await rename(`${file}.new`, file);
      await lowered;
      expect(await ask("/")).toMatchObject({ status: 429, limit: 4, remaining: 0 });
      expect(told).toEqual([]);
    } finally {
      source.close();
    }
  });
});

it("refuses from a source what stands beside it, by line and column", async () => {
  await writeFile(file, "limit: 1\nwindow: 1m\ntrustProxy: 1\n");
  await expect(watchPolicies(file)).rejects.toThrow(
    `${file}:3:13: trustProxy: expected nothing: this stands beside source, received 1`,
  );
});
