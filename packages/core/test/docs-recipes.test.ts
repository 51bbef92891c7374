import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { keyOf } from "../src/http/index.ts";
import { createLimiter, type Decision, type Limiter, RateLimitError } from "../src/index.ts";
import { type Listeners, watchListeners } from "./docs/listeners.ts";
import { type Fence, fencesOf, pageAt } from "./docs/page.ts";
import { run } from "./docs/snippet.ts";

const clock = vi.hoisted(() => ({ now: 1_700_006_400_000 }));

/** Recipes use no clock of their own, like their readers: the machine's clock stands still and is moved. */
vi.mock("../src/clock.ts", async (original) => {
  const real = await original<typeof import("../src/clock.ts")>();
  const systemClock = (): number => clock.now;
  const wholeClock: typeof real.wholeClock = (own) => real.wholeClock(own ?? systemClock);
  return { systemClock, wholeClock };
});

const page = pageAt("docs/recipes.md");
const fences = fencesOf(page).filter(({ language }) => language === "ts");

/** What each recipe must do, by its heading. */
const proofs: Readonly<Record<string, (told: Told) => Promise<void>>> = {
  async "Before and after authentication"({ ask }) {
    const nobody = await ask("/", { from: "192.0.2.1" });
    expect(nobody.headers.get("x-ratelimit-limit")).toBe("300");
    expect(policiesOf(nobody)).toEqual([]);
    const ada = { user: { id: "ada" } };
    for (let i = 0; i < 100; i++) await ask("/", { ...ada, from: `192.0.2.${i}` });
    expect(await ask("/", ada)).toMatchObject({
      status: 429,
      body: { policy: "user", limit: 100 },
    });
    const token = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
    expect(policiesOf(await ask("/", token("token-1")))).toEqual(["token"]);
    expect((await ask("/", token("token-1"))).body).toMatchObject({ limit: 1000, remaining: 998 });

    const invite = (from: string, email: unknown) => ask("/invite", { from, send: { email } });
    for (const [i, email] of ["bo@x.example", "BO@x.example", "bo@X.example"].entries()) {
      expect((await invite(`198.51.100.${i}`, email)).status).toBe(200);
    }
    const fourth = await invite("198.51.100.9", "bo@x.example");
    expect(fourth).toMatchObject({ status: 429, body: { policy: "invited" } });
    expect((await invite("198.51.100.9", ["bo@x.example"])).status).toBe(200);
  },

  async "Several windows at once"({ ask }) {
    const first = await ask("/");
    expect(first.headers.get("ratelimit")).toMatch(/^"burst";r=9;.*"hour";r=999;.*"day";r=4999;/);
    for (let i = 0; i < 9; i++) await ask("/");
    const refused = await ask("/");
    expect(refused).toMatchObject({ status: 429, body: { policy: "burst" } });
    clock.now += 2000;
    expect(statusesOf(await ask("/"))).toMatchObject([
      { remaining: 9 },
      { remaining: 989 },
      { remaining: 4989 },
    ]);
  },

  async "Login protection"({ ask, values }) {
    const guess = (from = "192.0.2.1", password = "wrong", account: unknown = " Ada ") =>
      ask("/login", { from, send: { account, password } });
    for (let i = 0; i < 4; i++) expect((await guess()).status).toBe(401);
    expect((await guess("192.0.2.1", "correct", "ada")).status).toBe(200);
    for (const minutes of [15, 30, 60]) {
      for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(401);
      for (let i = 0; i < 4; i++) {
        expect((await guess()).body).toMatchObject({
          message: expect.stringMatching(/^Rate limit exceeded/),
        });
      }
      expect(await guess()).toMatchObject({
        status: 429,
        retryAfter: minutes * 60,
        body: { message: expect.stringMatching(/^Blocked/) },
      });
      clock.now += minutes * 60_000 - 1;
      expect((await guess("192.0.2.1", "correct")).status).toBe(429);
      clock.now++;
    }
    expect((await guess("192.0.2.2", "correct")).status).toBe(200);
    for (let i = 0; i < 5; i++) await guess();
    const { body } = await guess();
    expect(body).toMatchObject({ policy: "login" });
    const { limiter } = values.protect as { limiter: Limiter };
    expect(lines[0]).toMatch(/^login refuses /);
    await limiter.reset(lines[0]!.replace("login refuses ", ""));
    for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
    const forgive = values.forgive as (address: string, account: string) => Promise<void>;
    await forgive("192.0.2.1", "Ada");
    expect((await guess()).status).toBe(401);

    // One address, many accounts; then one account, many addresses.
    for (let i = 0; i < 50; i++) await guess("203.0.113.1", "wrong", `account ${i}`);
    const many = await guess("203.0.113.1", "wrong", "account 50");
    expect(many.body).toMatchObject({ policy: "login-address" });
    for (let i = 0; i < 100; i++) await guess(`198.51.100.${i}`, "wrong", "eve");
    const spread = await guess("198.51.100.200", "correct", "eve");
    expect(spread).toMatchObject({ status: 429, body: { policy: "login-account" } });
    // Anything but a string is nobody's account.
    expect((await guess("198.51.100.201", "wrong", { $ne: "" })).status).toBe(401);
  },

  async "Login protection by hand"({ values }) {
    const login = values.login as (
      address: string,
      name: string,
      password: string,
    ) => Promise<{ signedIn: boolean; again: number }>;
    const guess = (address = "192.0.2.1", name = " Ada ") => login(address, name, "wrong");
    const wrong = { signedIn: false, again: 0 };
    const right = { signedIn: true, again: 0 };
    // A success deletes the failures.
    for (let i = 0; i < 4; i++) expect(await guess()).toEqual(wrong);
    expect(await login("192.0.2.1", "ADA", "correct")).toEqual(right);
    for (const minutes of [15, 30, 60]) {
      for (let i = 0; i < 5; i++) expect(await guess()).toEqual(wrong);
      for (let i = 0; i < 4; i++) {
        expect(await guess()).toEqual({ signedIn: false, again: 15 * 60_000 });
      }
      expect(await guess()).toEqual({ signedIn: false, again: minutes * 60_000 });
      clock.now += minutes * 60_000 - 1;
      expect(await login("192.0.2.1", "ada", "correct")).toEqual({ signedIn: false, again: 1 });
      clock.now++;
    }
    expect(await login("192.0.2.2", "ada", "correct")).toEqual(right);
    // Concurrent attempts find no extra room.
    const many = await Promise.all(Array.from({ length: 9 }, () => guess("192.0.2.3")));
    expect(many.filter(({ again }) => again > 0)).toHaveLength(4);
    const { peek } = values.byAddress as Limiter;
    expect(await peek("ip:192.0.2.3")).toMatchObject({ remaining: 45 });

    // One address, many accounts; successes do not count.
    for (let i = 0; i < 60; i++) await login("203.0.113.1", "eve", "correct");
    for (let i = 0; i < 50; i++) expect(await guess("203.0.113.1", `account ${i}`)).toEqual(wrong);
    const caught = await login("203.0.113.1", "eve", "correct");
    expect(caught.signedIn).toBe(false);
    expect(caught.again).toBeGreaterThan(0);
  },

  async "A limit for each plan"({ ask }) {
    const ada = (plan?: string) => ask("/", { user: { id: "ada", plan, seats: 3 } });
    const limits = async (plan?: string) =>
      statusesOf(await ada(plan)).map(({ limit, remaining }) => [limit, remaining]);
    expect(await limits()).toEqual([
      [100, 99],
      [180, 179],
    ]);
    expect((await limits("pro"))[0]).toEqual([1000, 998]);
    expect((await limits("enterprise"))[0]).toEqual([10_000, 9997]);
    expect((await limits())[0]).toEqual([100, 96]);
  },

  async "Cost per operation"({ ask }) {
    let left = 1000;
    for (const [method, path, cost] of [
      ["GET", "/users/1", 1],
      ["POST", "/users", 10],
      ["GET", "/Search?q=x", 5],
      ["GET", "/analytics", 50],
      ["OPTIONS", "/", 1],
    ] as const) {
      left -= cost;
      expect((await ask(path, { method })).body).toMatchObject({ remaining: left });
    }
  },

  async "Tokens of a streamed answer"({ ask, values }) {
    const { limiter } = values.limit as { limiter: Limiter };
    const used = async () => {
      const { statuses } = await limiter.peek("ip:192.0.2.1");
      return statuses.map(({ limit, remaining }) => limit - remaining);
    };
    const send = (question: string, more = {}) => ask("/chat", { send: { question, ...more } });
    expect((await send("one two three")).status).toBe(200);
    expect(await used()).toEqual([1, 6]);
    await send("word ".repeat(460).trim());
    expect(await used()).toEqual([2, 506]);
    const refused = await send("one more?");
    expect(refused).toMatchObject({ status: 429, body: { policy: "tokens" } });
    expect(await used()).toEqual([2, 506]);
    await send("word ".repeat(460).trim(), { max_tokens: 400 });
    expect(await used()).toEqual([3, 906]);
    for (const max_tokens of ["100", -1000, 10.5, 1e9, null]) {
      expect((await send("one more?", { max_tokens })).status).toBe(429);
    }
    // Without a question, which is one word to the model.
    expect((await ask("/chat", { method: "POST", from: "192.0.2.2" })).status).toBe(200);
  },

  async GraphQL({ ask }) {
    const query = (text: string) => ask("/graphql", { send: { query: text } });
    const books = await query("{ books(first: 20) { title author { name } } }");
    expect(books.body).toMatchObject({ limit: 1000, remaining: 1000 - (1 + 20 * 2) });
    const huge = await query("{ books(first: 100000) { title } }");
    expect(huge).toMatchObject({
      status: 429,
      body: {
        errors: [{ message: "The query goes beyond maxCost.", extensions: { code: "THROTTLED" } }],
      },
    });
  },

  async "Uploads by the number of files"({ ask }) {
    const send = (count: number) =>
      ask("/files", { send: { files: Array.from({ length: count }, (_, i) => `file ${i}`) } });
    expect(await send(12)).toMatchObject({ status: 200, body: { stored: 12 } });
    expect(await send(9)).toMatchObject({
      status: 429,
      body: { error: "No more than 8 files now" },
    });
    expect(await send(8)).toMatchObject({ status: 200, body: { stored: 8 } });
    expect(await send(1)).toMatchObject({ status: 429, body: { policy: "uploads" } });

    // The other way on the page: charged after the parser.
    const [, text] = /`cost: (\(req\) => \(Array\.isArray[^`]+)`/.exec(page.text)!;
    const cost = new Function(`return ${text}`)() as (req: { body?: unknown }) => number;
    const bodies = [undefined, {}, { files: { length: 0 } }, { files: "abc" }, { files: [] }];
    expect(bodies.map((body) => cost({ body }))).toEqual([1, 1, 1, 1, 1]);
    expect(cost({ body: { files: ["a", "b"] } })).toBe(2);
  },

  async Subnets({ ask }) {
    for (let host = 1; host <= 3; host++) {
      for (let i = 0; i < 20; i++) {
        expect((await ask("/", { from: `203.0.113.${host}` })).status).toBe(200);
      }
    }
    expect((await ask("/", { from: "203.0.113.1" })).status).toBe(429);
    const other = await ask("/", { from: "203.0.113.99" });
    expect(other).toMatchObject({ status: 429, body: { policy: "network" } });
    expect((await ask("/", { from: "203.0.112.99" })).status).toBe(200);
    // Two /64 networks of one /48.
    for (const from of ["2001:db8:5:1::1", "2001:db8:5:2::1"]) await ask("/", { from });
    const third = statusesOf(await ask("/", { from: "2001:db8:5:3::1" }));
    expect(third.map(({ remaining }) => remaining)).toEqual([19, 57]);
  },

  async "Who is exempt"({ ask }) {
    expect((await ask("/", { from: "10.1.2.3" })).body).toMatchObject({ reason: "skipped" });
    const service = { headers: { "x-api-key": "key of a service" } };
    expect((await ask("/", service)).body).toMatchObject({ detail: "service" });
    const asked: number[] = [];
    const ada = { user: { id: "ada" } };
    for (let i = 0; i < 10; i++) asked.push((await ask("/", ada)).status);
    expect(lines).toEqual(["exempt: service"]);
    expect((await ask("/", ada)).body).toMatchObject({ detail: "moderator" });
    expect(lines.slice(1)).toEqual(["looking up ada", "exempt: moderator"]);
    expect(asked).toEqual(Array.from({ length: 10 }, () => 200));
    for (let i = 0; i < 10; i++) await ask("/", { user: { id: "bo" } });
    expect((await ask("/", { user: { id: "bo" } })).status).toBe(429);
  },

  async "Health checks"({ ask }) {
    for (let i = 0; i < 12; i++) await ask("/health/", { method: i % 2 ? "HEAD" : "GET" });
    for (let i = 0; i < 10; i++) expect((await ask("/notes")).status).toBe(200);
    expect((await ask("/notes")).status).toBe(429);
    expect((await ask("/health")).body).toMatchObject({ reason: "skipped", policy: "health" });
    expect((await ask("/ready")).status).toBe(200);
    expect((await ask("/health", { method: "POST" })).status).toBe(429);
    expect((await ask("/metrics")).body).toMatchObject({ limit: 60 });
  },

  async "Look at, unblock and block a client"({ ask, values }) {
    const { look, block, unblock, blockedUsers, app } = values as {
      look(key: string): Promise<Decision>;
      block(key: string): Promise<Decision>;
      unblock(key: string): Promise<void>;
      blockedUsers: Set<string>;
      app: {
        get(path: string, handler: (req: IncomingMessage, res: ServerResponse) => void): void;
      };
    };
    const client = keyOf.ip("192.0.2.1");
    await ask("/");
    expect(await look(client)).toMatchObject({ allowed: true, policy: "api", remaining: 99 });
    expect(await look(client)).toMatchObject({ remaining: 99 });
    expect(await block(client)).toMatchObject({ allowed: false, reason: "blocked" });
    expect(await ask("/")).toMatchObject({ status: 429, retryAfter: 86_400 });
    const invented = { headers: { "x-api-key": "invented" } };
    expect((await ask("/", invented)).status).toBe(429);
    expect((await ask("/", { from: "192.0.2.2" })).status).toBe(200);
    expect(await look(client)).toMatchObject({ reason: "blocked", policy: "blocked" });
    await unblock(client);
    expect((await ask("/")).body).toMatchObject({ policy: "api", remaining: 99 });
    await block(client);
    clock.now += 86_400_000;
    expect((await ask("/")).status).toBe(200);

    const ada = { user: { id: "ada" } };
    await ask("/", ada);
    expect(await look(keyOf.user("ada"))).toMatchObject({ remaining: 99 });
    blockedUsers.add("ada");
    expect((await ask("/", ada)).status).toBe(403);
    await unblock(keyOf.user("ada"));
    expect((await ask("/", ada)).status).toBe(403);
    blockedUsers.delete("ada");
    expect((await ask("/", ada)).status).toBe(200);

    // Behind a proxy that only the limiter trusts.
    app.get("/who", (req, res) => {
      const { ip, rateLimit } = req as { ip?: string; rateLimit?: Decision };
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ ip, key: rateLimit?.key }));
    });
    expect((await ask("/who")).body).toEqual({ ip: "127.0.0.1", key: client });
  },

  async "Refusals in your own format"({ ask }) {
    await ask("/");
    const passed = await ask("/");
    expect(passed.headers.get("access-control-expose-headers")).toContain("Retry-After");
    clock.now += 30_001;
    await ask("/x");
    const refused = await ask("/x?y=1");
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: "RATE_LIMITED",
        policy: "default",
        path: "/x",
        message: `Try again in ${refused.retryAfter} s.`,
      },
    });
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit")).toContain('"default";r=0');
    clock.now += refused.retryAfter * 1000;
    expect((await ask("/x")).status).toBe(200);
  },

  async "Refusals in your error handler"({ ask, values }) {
    await ask("/");
    await ask("/");
    const refused = await ask("/");
    const { retryAfter: wait } = refused;
    expect(refused).toMatchObject({
      status: 429,
      body: { type: "rate-limited", policy: "default", wait },
    });
    const isRefusal = values.isRefusal as (error: unknown) => boolean;
    const limiter = createLimiter({ limit: 0, window: "1m" });
    const thrown = await limiter.checkOrThrow("anybody").catch((error: unknown) => error);
    expect([isRefusal(thrown), thrown instanceof RateLimitError]).toEqual([true, true]);
    expect(isRefusal(new Error("another"))).toBe(false);
  },

  async "For scripts in browsers"({ ask }) {
    const origin = "https://app.example";
    const headers = { origin };
    const asked = { ...headers, "access-control-request-method": "GET" };
    const preflight = await ask("/", { method: "OPTIONS", headers: asked });
    expect(preflight).toMatchObject({ status: 204 });
    const seen = [preflight];
    for (let i = 0; i < 3; i++) seen.push(await ask("/", { headers }));
    expect(seen.map(({ status }) => status)).toEqual([204, 200, 200, 429]);
    const of = (name: string) => seen.map((answer) => answer.headers.get(name));
    expect(of("access-control-allow-origin")).toEqual([origin, origin, origin, origin]);
    expect(of("x-ratelimit-remaining")).toEqual([null, "1", "0", "0"]);
    expect(of("access-control-expose-headers").at(-1)).toMatch(/X-RateLimit-Limit.*Retry-After/);
  },

  async "Quotas per calendar month"({ ask, values }) {
    const ada = { user: { id: "ada" } };
    for (let i = 0; i < 3; i++) await ask("/", ada);
    const usage = async (asked = {}) =>
      ((await ask("/usage", asked)).body as { policies: { policy: string; used: number }[] })
        .policies;
    // December begins at 05:00 UTC.
    const reset = (Date.UTC(2023, 11, 1, 5) - clock.now) / 1000;
    for (let i = 0; i < 2; i++) {
      expect(await usage(ada)).toMatchObject([
        { policy: "month", limit: 1000, used: 3, remaining: 997, reset },
        { policy: "minute", limit: 60, used: 3 },
      ]);
    }
    expect(await usage()).toMatchObject([{ policy: "minute", used: 0 }]);
    clock.now += reset * 1000;
    expect((await usage(ada))[0]).toMatchObject({ used: 0 });
    const { limiter } = values.limit as { limiter: Limiter };
    await limiter.check(keyOf.user("ada"), { policy: "month", cost: 899 });
    expect(lines).toEqual([]);
    for (let i = 0; i < 3; i++) await ask("/", ada);
    expect(lines).toEqual(["user:ada is near the end of its month"]);
  },

  async "Trying a limit first"({ ask, values }) {
    for (let i = 0; i < 5; i++) expect((await ask("/")).status).toBe(200);
    expect((await ask("/")).body).toMatchObject({ policy: "today" });
    await ask("/");
    expect(Object.fromEntries(values.counts as Map<string, number>)).toEqual({
      "today passes": 5,
      "today refuses": 2,
      "tomorrow passes": 2,
      "tomorrow refuses": 5,
    });
    const would = "tomorrow would refuse ip:192.0.2.1";
    // The hook for refusals is called for the real one, and onDecision for all.
    expect(lines).toEqual([would, would, would, would, "today refuses ip:192.0.2.1", would]);
  },

  async "Policies that are edited"({ ask, values }) {
    const { table, errors } = values as {
      table: { version: number; policies: unknown };
      errors: unknown[];
    };
    const source = values.source as { refresh(): Promise<void>; close(): void };
    const put = (policies: unknown) => {
      table.version++;
      table.policies = policies;
      return source.refresh();
    };
    try {
      for (let i = 0; i < 3; i++) await ask("/");
      await put({ name: "flow", limit: 8, window: "1m" });
      expect((await ask("/")).body).toMatchObject({ limit: 8, remaining: 4 });
      await put({ name: "flow", limit: -1, window: "1m" });
      expect(errors.map(String)).toEqual([expect.stringContaining("limit: expected")]);
      expect((await ask("/")).body).toMatchObject({ limit: 8, remaining: 3 });
      await put({ name: "flow", limit: 5, window: "1m" });
      expect(await ask("/")).toMatchObject({ status: 429 });
    } finally {
      source.close();
    }
  },

  async "When Redis is down"({ ask, values }) {
    const client = values.client as { disconnect(): void };
    try {
      expect((await ask("/transfers")).status).toBe(503);
      const seen: unknown[] = [];
      for (let i = 0; i < 26; i++) seen.push((await ask("/")).status);
      expect(seen).toEqual([...Array.from({ length: 25 }, () => 200), 429]);
      expect(lines).toEqual([expect.stringMatching(/^each server limits for itself:/)]);
    } finally {
      client.disconnect();
    }
  },

  async "Behind a proxy"({ ask }) {
    for (let i = 0; i < 5; i++) {
      expect((await ask("/", { from: `1.2.3.${i}, 192.0.2.1, 203.0.113.7` })).status).toBe(200);
    }
    const forged = await ask("/", { from: "9.9.9.9, 192.0.2.1, 203.0.113.7" });
    expect(forged.status).toBe(429);
    expect((await ask("/", { from: "192.0.2.2, 203.0.113.7" })).status).toBe(200);
  },

  async WebSockets() {
    const url = `ws://localhost:${await listeners.port()}`;
    const open = async () => {
      const client = new WebSocket(url);
      await once(client, "open");
      return client;
    };
    const clients = [await open(), await open(), await open()];
    const [, answer] = await once(new WebSocket(url), "unexpected-response");
    expect((answer as IncomingMessage).statusCode).toBe(429);
    const echo = async () => {
      const heard = once(clients[0]!, "message");
      clients[0]!.send("hello");
      return String((await heard)[0]);
    };
    for (let i = 0; i < 10; i++) expect(await echo()).toBe("hello");
    const { retryAfter } = JSON.parse(await echo());
    clock.now += retryAfter;
    expect(await echo()).toBe("hello");
    for (const client of clients) client.terminate();
  },

  async "Without HTTP"({ values }) {
    const send = values.send as (account: string, to: string[]) => Promise<object>;
    expect(await send("a", ["x", "y"])).toEqual({ sent: 2, again: 0 });
    const refused = (await send("a", ["z"])) as { again: number };
    expect(refused).toMatchObject({ sent: 0 });
    clock.now += refused.again;
    expect(await send("a", ["z"])).toEqual({ sent: 1, again: 0 });
    expect(await send("b", ["x"])).toEqual({ sent: 1, again: 0 });
    const whenAllowed = values.whenAllowed as (
      key: string,
      cost: number,
      signal?: AbortSignal,
    ) => Promise<void>;
    await whenAllowed("account:c", 2);
    await expect(whenAllowed("account:c", 3)).rejects.toThrow("3 is more than is ever allowed");
    const cancelled = new AbortController();
    const waiting = whenAllowed("account:c", 1, cancelled.signal);
    cancelled.abort(new Error("shutting down"));
    await expect(waiting).rejects.toThrow(/aborted|shutting down/);
    await expect(whenAllowed("d", 1, cancelled.signal)).rejects.toThrow("shutting down");
  },

  async "A clock for tests"({ ask, values }) {
    const statuses = async () => (await ask("/")).status;
    expect([await statuses(), await statuses(), await statuses()]).toEqual([200, 200, 429]);
    clock.now += 60_000;
    expect(await statuses()).toBe(429);
    (values.aMinuteLater as () => void)();
    expect(await statuses()).toBe(200);
  },

  async "Slowing down"({ ask }) {
    const waits: number[] = [];
    const later = setTimeout;
    const passing = ((go: () => void, ms: number) => {
      // The client's own timer.
      if (ms >= 1000) return later(go, ms);
      waits.push(ms);
      clock.now += ms;
      return setImmediate(go);
    }) as unknown as typeof setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(passing);
    for (let i = 0; i < 4; i++) expect((await ask("/")).status).toBe(200);
    expect(waits).toEqual([500, 500]);
  },
};

interface Asked {
  readonly method?: string;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The authenticated user. */
  readonly user?: object;
  readonly send?: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly retryAfter: number;
  /** The recipe's own; for an admitted request, the decision. */
  readonly body: unknown;
}

interface Told {
  /** The recipe's declarations. */
  readonly values: Readonly<Record<string, unknown>>;
  ask(path: string, asked?: Asked): Promise<Answer>;
}

let listeners: Listeners;
let server: Server | undefined;
const lines: string[] = [];

beforeEach(() => {
  clock.now = 1_700_006_400_000;
  vi.stubEnv("REDIS_URL", "redis://127.0.0.1:1");
  vi.stubEnv("SERVICE_KEY", "key of a service");
  const hear = (...parts: unknown[]): void => void lines.push(parts.join(" "));
  vi.spyOn(console, "log").mockImplementation(hear);
  vi.spyOn(console, "error").mockImplementation(hear);
  listeners = watchListeners();
});

afterEach(async () => {
  await listeners.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  lines.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const headings = fences.map(headingOf);

it("proves every recipe, each with one snippet", () => {
  expect(headings).toEqual(Object.keys(proofs));
});

it.each(fences.map((fence) => [headingOf(fence), fence] as const))(
  "does as told: %s",
  { timeout: 30_000 },
  async (heading, fence) => {
    const values = await run(fence);
    await proofs[heading]!({ values, ask: await serve(values.app as App | undefined) });
  },
);

type App = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Serves a recipe's application behind authentication; responds with the decision to requests that it passes on. */
async function serve(app: App | undefined): Promise<Told["ask"]> {
  if (!app) return () => Promise.reject(new Error("the recipe has no application"));
  server = createServer((req, res) => {
    const { "x-user": user } = req.headers;
    if (user) Object.assign(req, { user: JSON.parse(String(user)) });
    app(req, res, () => {
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify((req as { rateLimit?: Decision }).rateLimit));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return async (path, { from = "192.0.2.1", headers, user, send, method } = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: method ?? (send === undefined ? "GET" : "POST"),
      headers: {
        "x-forwarded-for": from,
        ...(user && { "x-user": JSON.stringify(user) }),
        ...(send !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(send !== undefined && { body: JSON.stringify(send) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") && text !== "";
    return {
      status: answer.status,
      headers: answer.headers,
      retryAfter: Number(answer.headers.get("retry-after") ?? Number.NaN),
      body: isJson ? JSON.parse(text) : text,
    };
  };
}

function statusesOf({ body }: Answer): Decision["statuses"] {
  return (body as Decision).statuses;
}

function policiesOf(answer: Answer): string[] {
  return statusesOf(answer).map(({ policy }) => policy);
}

function headingOf({ at }: Fence): string {
  const line = Number(/:(\d+)$/.exec(at)![1]);
  const above = page.text.split("\n").slice(0, line);
  return above.findLast((text) => text.startsWith("## "))!.slice(3);
}
