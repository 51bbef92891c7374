import { once } from "node:events";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPolicies, type KeptPolicies, watchPolicies } from "@spillway/core/policy-file";
import { type ManualClock, manualClock } from "@spillway/core/testing";
import { memoryStore } from "@spillway/express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { program } from "../program.ts";
import { createApp } from "./app.js";
import { functions } from "./functions.js";

const original = new URL("policies.yaml", import.meta.url);

let clock: ManualClock;
let folder: string;
let file: string;
let policies: KeptPolicies;
let server: Server;
let url: string;
let told: (news: unknown) => void;
/** What the model says next; called when something reads on. */
let complete: (question: string) => AsyncIterable<{ text: string; tokens: number }>;

beforeEach(async () => {
  clock = manualClock();
  folder = await mkdtemp(join(tmpdir(), "spillway-example-"));
  file = join(folder, "policies.yaml");
  await writeFile(file, await readFile(original));
  told = () => {};
  policies = await watchPolicies(file, { functions, onError: (error) => told(error) });
  policies.subscribe((next) => told(next));
  const store = memoryStore({ clock });
  server = createApp({ policies, store, complete: (question) => complete(question) }).listen(0);
  await once(server, "listening");
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  policies.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly send?: unknown;
}

/** Sends a request from a client's address; the test's own loopback peer counts as a proxy. */
function request(path: string, { from = "192.0.2.1", headers = {}, send }: Asked = {}) {
  const posted = {
    method: "POST",
    body: JSON.stringify(send),
    headers: { "content-type": "application/json", "x-forwarded-for": from, ...headers },
  };
  return fetch(
    url + path,
    send === undefined ? { headers: { "x-forwarded-for": from, ...headers } } : posted,
  );
}

async function ask(path: string, asked?: Asked) {
  const answer = await request(path, asked);
  const number = (name: string) => Number(answer.headers.get(name) ?? Number.NaN);
  return {
    status: answer.status,
    limit: number("x-ratelimit-limit"),
    remaining: number("x-ratelimit-remaining"),
    retryAfter: number("retry-after"),
    body: (await answer.json()) as unknown,
  };
}

async function statuses(times: number, one: () => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await one()).status);
  return seen;
}

/** Returns a client's usage, by policy name. */
async function usage(asked?: Asked): Promise<Record<string, Usage>> {
  const { policies } = (await ask("/usage", asked)).body as { policies: Usage[] };
  return Object.fromEntries(policies.map((one) => [one.policy, one]));
}

interface Usage {
  readonly policy: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly reset: number;
  readonly window: number;
}

const as = (name: string) => ({ headers: { authorization: `Bearer session-of-${name}` } });
const all = (times: number, status: number): number[] =>
  Array.from({ length: times }, () => status);

describe("an API by a policy file", { timeout: 60_000 }, () => {
  it("has a file without problems", async () => {
    expect(await checkPolicies([original], { functions: Object.keys(functions) })).toEqual([]);
  });

  it.each([
    { who: "nobody known", limit: 20, asked: {} },
    { who: "a free user", limit: 100, asked: as("anna") },
    { who: "a pro user", limit: 1000, asked: as("ben") },
    { who: "an API key of an enterprise", limit: 10_000, asked: key("key-of-cleo") },
    { who: "an API key that nobody gave out", limit: 20, asked: key("invented") },
  ])("gives $who $limit requests an hour", async ({ limit, asked }) => {
    expect(await ask("/notes", asked)).toMatchObject({ status: 200, limit, remaining: limit - 1 });
  });

  it("refuses beyond the plan, and lets in again after the time that it told", async () => {
    expect(await statuses(21, () => ask("/notes"))).toEqual([...all(20, 200), 429]);
    const { retryAfter, body } = await ask("/notes");
    expect(body).toMatchObject({ policy: "plan", limit: 20 });
    clock.advance(retryAfter * 1000 - 1000);
    expect((await ask("/notes")).status).toBe(429);
    clock.advance(1000);
    expect((await ask("/notes")).status).toBe(200);
  });

  it("counts searches by themselves, beside the plan", async () => {
    const search = () => ask("/search?q=weir", as("ben"));
    expect(await statuses(10, search)).toEqual(all(10, 200));
    expect(await search()).toMatchObject({ status: 429, limit: 10, body: { policy: "search" } });
    // What the search policy refused cost nothing of the plan.
    expect(await ask("/notes", as("ben"))).toMatchObject({ status: 200, remaining: 989 });
  });

  describe("logins", () => {
    const login = (account: string, password: string, from = "192.0.2.1") =>
      ask("/login", { from, send: { account, password } });

    it("are blocked after five failures, for longer each time, whatever the spelling", async () => {
      const guess = () => login(" Anna ", "wrong");
      expect(await statuses(5, guess)).toEqual(all(5, 401));
      for (const minutes of [15, 30, 60]) {
        expect(await guess()).toMatchObject({
          status: 429,
          retryAfter: minutes * 60,
          body: { error: "Locked", retryAfter: minutes * 60 },
        });
        clock.advance(minutes * 60_000 - 1);
        expect((await login("anna", "red")).status).toBe(429);
        clock.advance(1);
        // The window is over too: five more failures.
        expect(await statuses(5, guess)).toEqual(all(5, 401));
      }
      expect((await login("ben", "green")).status).toBe(200);
      expect((await login("anna", "red", "192.0.2.2")).status).toBe(200);
    });

    it("cost nothing where they succeed, and forget the failures", async () => {
      for (let round = 0; round < 3; round++) {
        expect(await statuses(4, () => login("anna", "wrong"))).toEqual(all(4, 401));
        expect(await login("anna", "red")).toMatchObject({
          status: 200,
          body: { token: "session-of-anna" },
        });
      }
      expect(await usage()).toMatchObject({ "login-address": { used: 12 }, plan: { used: 0 } });
    });

    it("of many accounts are counted by the address", async () => {
      let account = 0;
      const guess = () => login(`account ${account++}`, "wrong");
      expect(await statuses(20, guess)).toEqual(all(20, 401));
      expect(await guess()).toMatchObject({ status: 429, body: { policy: "login-address" } });
      expect((await login("account 21", "wrong", "192.0.2.2")).status).toBe(401);
    });
  });

  describe("GraphQL", () => {
    const query = (text: string) => ask("/graphql", { ...as("anna"), send: { query: text } });
    const books = "{ books(first: 10) { title authors(first: 5) { name } } }";

    it("pays by what a query asks for, and nothing of the plan", async () => {
      // A page, and for each of ten books the book itself, a page and five authors.
      const answer = await query(books);
      expect(answer).toMatchObject({ status: 200, limit: 500, remaining: 500 - (1 + 10 * 7) });
      const { data } = answer.body as { data: { books: { authors: unknown[] }[] } };
      expect(data.books.map(({ authors }) => authors.length)).toEqual(all(10, 5));
      expect(await usage(as("anna"))).toMatchObject({ graphql: { used: 71 }, plan: { used: 0 } });
    });

    it("refuses in the words of GraphQL, also what is too much at once", async () => {
      expect(await statuses(7, () => query(books))).toEqual(all(7, 200));
      const throttled = { errors: [{ extensions: { code: "THROTTLED" } }] };
      expect(await query(books)).toMatchObject({ status: 429, body: throttled });
      expect(await query("{ books(first: 2) { title } }")).toMatchObject({ status: 200 });
      const huge = await query("{ books(first: 1000000) { title } }");
      expect(huge).toMatchObject({ status: 429, retryAfter: Number.NaN, body: throttled });
    });
  });

  it("settles the tokens of a streamed answer, when it is over", async () => {
    let goOn = (): void => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    complete = async function* () {
      yield { text: "It ", tokens: 30 };
      await paused;
      yield { text: "flows.", tokens: 12 };
    };
    const answer = await request("/chat", { ...as("anna"), send: { question: "What?" } });
    expect((await usage(as("anna"))).tokens).toMatchObject({ limit: 1000, used: 200 });
    goOn();
    expect(await answer.text()).toBe("It flows.");
    expect((await usage(as("anna"))).tokens).toMatchObject({ used: 42 });

    // More than was reserved, and more than is left.
    complete = async function* () {
      yield { text: "long", tokens: 5000 };
    };
    await (await request("/chat", { ...as("anna"), send: {} })).text();
    expect((await usage(as("anna"))).tokens).toMatchObject({ used: 1000, remaining: 0 });
    expect((await request("/chat", { ...as("anna"), send: {} })).status).toBe(429);
  });

  it("lets a client that leaves pay for what was made until then", async () => {
    let goOn = (): void => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let ended = (): void => {};
    const over = new Promise<void>((resolve) => {
      ended = resolve;
    });
    complete = async function* () {
      try {
        yield { text: "It ", tokens: 30 };
        await paused;
        yield { text: "flows.", tokens: 12 };
      } finally {
        ended();
      }
    };
    const connected = once(server, "connection");
    const leave = new AbortController();
    const headers = { "content-type": "application/json", ...as("anna").headers };
    // A connection of its own, which closes with it.
    const asked = { method: "POST", headers, body: "{}", signal: leave.signal };
    const answer = await fetch(`${url}/chat`, asked);
    const [socket] = await connected;
    leave.abort();
    await expect(answer.text()).rejects.toThrow("aborted");
    if (!socket.closed) await once(socket, "close");
    goOn();
    await over;
    expect((await usage(as("anna"))).tokens).toMatchObject({ used: 30 });
  });

  it("tells clients their own usage, for nothing", async () => {
    await statuses(3, () => ask("/search", as("anna")));
    await ask("/notes", as("anna"));
    for (let i = 0; i < 2; i++) {
      expect(Object.values(await usage(as("anna")))).toEqual([
        { policy: "plan", limit: 100, used: 4, remaining: 96, reset: 7200, window: 3600 },
        { policy: "search", limit: 10, used: 3, remaining: 7, reset: 120, window: 60 },
        { policy: "login-address", limit: 20, used: 0, remaining: 20, reset: 0, window: 900 },
        { policy: "graphql", limit: 500, used: 0, remaining: 500, reset: 0, window: 60 },
        { policy: "tokens", limit: 1000, used: 0, remaining: 1000, reset: 0, window: 60 },
      ]);
    }
    expect((await usage(as("ben"))).plan).toMatchObject({ limit: 1000, used: 0 });
  });

  it("answers the load balancer's question after its health, whatever was used", async () => {
    const direct = async (path: string) => {
      const { status, headers } = await fetch(url + path);
      return { status, limit: headers.get("x-ratelimit-limit") };
    };
    for (let i = 0; i < 25; i++) {
      expect(await direct("/health")).toEqual({ status: 200, limit: null });
    }
    expect(await direct("/notes")).toEqual({ status: 200, limit: "20" });
    // From anywhere else it is a request like others.
    expect(await ask("/health")).toMatchObject({ limit: 20, remaining: 19 });
  });

  describe("an edit of the file", () => {
    /** Replaces text in the file as editors do, and returns the outcome. */
    async function edit(from: string, to: string): Promise<unknown> {
      const text = await readFile(file, "utf8");
      expect(text).toContain(from);
      const news = new Promise((resolve) => {
        told = resolve;
      });
      await writeFile(`${file}.new`, text.replace(from, to));
      await rename(`${file}.new`, file);
      return news;
    }

    it("holds from the next request on, refills nobody and drops nothing", async () => {
      const seen: { status: number; limit: number; used: number }[] = [];
      const go = async () => {
        const { status, limit, remaining } = await ask("/notes", as("anna"));
        seen.push({ status, limit, used: limit - remaining });
        clock.advance(1);
      };
      await go();
      let over = false;
      const edited = edit("free: { limit: 100 }", "free: { limit: 400 }").finally(() => {
        over = true;
      });
      // One after the other until the edit is seen; the old limit would refuse the hundred and first.
      while (!over && seen.length < 99) await go();
      await edited;
      await go();
      const limits = [...new Set(seen.map(({ limit }) => limit))];
      expect(seen.map(({ status }) => status)).toEqual(all(seen.length, 200));
      expect(seen.map(({ used }) => used)).toEqual(seen.map((_, i) => i + 1));
      expect(limits).toEqual([100, 400]);

      // And down again, below what was used.
      await edit("free: { limit: 400 }", "free: { limit: 1 }");
      expect(await ask("/notes", as("anna"))).toMatchObject({ status: 429, limit: 1 });
      expect((await ask("/notes")).remaining).toBe(19);
    });

    it("leaves a request that is under way to the policies that it began with", async () => {
      let goOn = (): void => {};
      const paused = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      complete = async function* () {
        yield { text: "It ", tokens: 1 };
        await paused;
        yield { text: "flows.", tokens: 249 };
      };
      const asked = { ...as("anna"), send: { question: "What?" } };
      const answer = await request("/chat", asked);
      await edit("cost: 200", "cost: 800");
      goOn();
      expect(await answer.text()).toBe("It flows.");
      expect((await usage(as("anna"))).tokens).toMatchObject({ used: 250 });
      expect((await request("/chat", asked)).status).toBe(429);

      // Nothing is left to settle once the file has lost the policy.
      await edit("match: POST /chat", "match: POST /never");
      complete = async function* () {
        yield { text: "free", tokens: 7 };
      };
      expect(await (await request("/chat", asked)).text()).toBe("free");
      expect((await usage(as("anna"))).tokens).toMatchObject({ used: 250 });
    });

    it("changes nothing where it is wrong, and says where", async () => {
      await statuses(5, () => ask("/notes"));
      const error = await edit("limit: 20\n    window: 1h", "limit: many\n    window: 1h");
      expect(String(error)).toContain("rules[0].limit: expected");
      expect(String(error)).toContain('received "many"');
      expect(await ask("/notes")).toMatchObject({ status: 200, limit: 20, remaining: 14 });
      await edit("limit: many", "limit: 30");
      expect(await ask("/notes")).toMatchObject({ status: 200, limit: 30, remaining: 23 });
    });
  });

  it("runs as a program, and ends when told", async () => {
    const running = program(new URL("server.js", import.meta.url), [], {
      PORT: "0",
      POLICIES: file,
    });
    const [, address] = await running.printed(/^(http:\S+), policies \w+$/m);
    expect((await fetch(`${address}/notes`)).headers.get("x-ratelimit-limit")).toBe("20");
    await writeFile(file, (await readFile(file, "utf8")).replace("limit: 20\n", "limit: 25\n"));
    await running.printed(/^Policies \w+$/m);
    const answer = await fetch(`${address}/notes`);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("25");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("23");
    running.kill("SIGTERM");
    expect(await running.ended).toBe(0);
    expect(running.errors).toBe("");
  });
});

function key(text: string): Asked {
  return { headers: { "x-api-key": text } };
}
