import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A running API: its URL, its clock, and how to end it. */
export interface RunningApi {
  readonly url: string;
  readonly clock: { advance(ms: number): void };
  close(): Promise<unknown>;
}

/** Tests what the API of every framework's example promises, request by request. */
export function apiSuite(framework: string, start: () => Promise<RunningApi>): void {
  let api: RunningApi;

  beforeEach(async () => {
    api = await start();
  });
  afterEach(() => api.close());

  /** Sends a request from a client's address; the test's own loopback peer counts as a proxy. */
  async function ask(path: string, headers: Headers = {}, method = "GET"): Promise<Seen> {
    const from = { "x-forwarded-for": "192.0.2.1" };
    const answer = await fetch(api.url + path, { method, headers: { ...from, ...headers } });
    return {
      status: answer.status,
      limit: answer.headers.get("x-ratelimit-limit"),
      remaining: answer.headers.get("x-ratelimit-remaining"),
      retryAfter: Number(answer.headers.get("retry-after")),
      body: answer.headers.get("content-type")?.includes("json") ? await answer.json() : undefined,
    };
  }

  async function statuses(times: number, request: () => Promise<Seen>): Promise<number[]> {
    const seen: number[] = [];
    for (let i = 0; i < times; i++) seen.push((await request()).status);
    return seen;
  }

  describe(`the API on ${framework}`, { timeout: 30_000 }, () => {
    it.each([
      { who: "nobody known", limit: 5, headers: {} },
      { who: "a free user", limit: 10, headers: anna },
      { who: "a pro user", limit: 20, headers: ben },
      { who: "an API key of a pro user", limit: 20, headers: { "x-api-key": "key-of-ben" } },
    ])("gives $who $limit requests a minute", async ({ limit, headers }) => {
      const first = await ask("/notes", headers);
      expect(first).toMatchObject({ limit: String(limit), remaining: String(limit - 1) });
      expect(first.body).toEqual({ notes: ["Buy milk."] });
      const rest = await statuses(limit, () => ask("/notes", headers));
      expect(rest).toEqual([...times(limit - 1, 200), 429]);
    });

    it("lets a refused client in again after the time that it was told", async () => {
      await statuses(5, () => ask("/notes"));
      const refused = await ask("/notes");
      expect(refused).toMatchObject({ status: 429, body: { policy: "plan", limit: 5 } });
      api.clock.advance(refused.retryAfter * 1000 - 1000);
      expect((await ask("/notes")).status).toBe(429);
      api.clock.advance(1000);
      expect((await ask("/notes")).status).toBe(200);
    });

    it("counts users by themselves, wherever they come from", async () => {
      await statuses(9, () => ask("/notes", anna));
      const elsewhere = { "x-forwarded-for": "203.0.113.9" };
      expect((await ask("/notes", { ...anna, ...elsewhere })).remaining).toBe("0");
      expect((await ask("/notes", { ...anna, ...elsewhere })).status).toBe(429);
      expect((await ask("/notes", elsewhere)).remaining).toBe("4");
    });

    it("gives nothing for an API key that nobody handed out", async () => {
      for (let i = 0; i < 5; i++) {
        const answer = await ask("/notes", { "x-api-key": `invented-${i}` });
        expect(answer).toMatchObject({ status: 200, limit: "5", remaining: String(4 - i) });
      }
      expect((await ask("/notes", { "x-api-key": "invented-5" })).status).toBe(429);
    });

    it("takes five for a report, from what the plan gives", async () => {
      expect(await ask("/report", anna)).toMatchObject({ status: 200, remaining: "5" });
      expect((await ask("/notes", anna)).remaining).toBe("4");
      expect((await ask("/report", anna)).status).toBe(429);
      expect((await ask("/notes", anna)).remaining).toBe("3");
    });

    it("lets an address try five logins, whoever it claims to be", async () => {
      const login = (name: string) => ask(`/login/${name}`, ben, "POST");
      const first = await login("anna");
      expect(first).toMatchObject({ limit: "5", body: { token: "session-of-anna" } });
      expect(await statuses(5, () => login("eve"))).toEqual([...times(4, 401), 429]);
      expect((await ask("/notes")).remaining).toBe("4");
      const elsewhere = { "x-forwarded-for": "203.0.113.9" };
      expect((await ask("/login/anna", elsewhere, "POST")).status).toBe(200);
    });

    it("never refuses a question after its health, and charges nothing", async () => {
      const answer = await ask("/health");
      expect(answer).toMatchObject({ status: 200, limit: null, body: { status: "ok" } });
      expect(await statuses(10, () => ask("/health"))).toEqual(times(10, 200));
      expect((await ask("/notes")).remaining).toBe("4");
      await statuses(5, () => ask("/notes"));
      expect((await ask("/health")).status).toBe(200);
    });

    it("counts paths that nobody answers", async () => {
      const seen = await statuses(6, () => ask("/unknown"));
      expect(seen).toEqual([...times(5, 404), 429]);
    });
  });
}

type Headers = Record<string, string>;

interface Seen {
  readonly status: number;
  readonly limit: string | null;
  readonly remaining: string | null;
  readonly retryAfter: number;
  readonly body: unknown;
}

const anna = { authorization: "Bearer session-of-anna" };
const ben = { authorization: "Bearer session-of-ben" };
const times = (n: number, status: number): number[] => Array.from({ length: n }, () => status);
