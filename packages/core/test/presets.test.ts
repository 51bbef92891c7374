import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createGuard, type Guard } from "../src/http/index.ts";
import { type Decision, memoryStore } from "../src/index.ts";
import {
  type Functions,
  type PolicyFile,
  policiesFrom,
  readPolicyFile,
} from "../src/policy-file/index.ts";
import { type ManualClock, manualClock } from "../src/testing/index.ts";
import { type BareRequest, bareFramework } from "./http-scenarios/bare-server.ts";
import { requestOf } from "./http-scenarios/requests.ts";

const folder = new URL("../presets/", import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
const dataOf = (name: string): PolicyFile =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as PolicyFile;

/** The request of a test. */
interface Asked {
  readonly method?: string;
  readonly url?: string;
  readonly peer?: string;
  readonly user?: Readonly<Record<string, string>>;
  readonly tier?: string;
  readonly cost?: number;
}

const costOf = (req: BareRequest): number => Number(req.headers["x-cost"] ?? 1);
const functions: Functions = {
  points: costOf,
  load: costOf,
  requestedCost: costOf,
  tokens: costOf,
  inputTokens: costOf,
  outputTokens: costOf,
  tierOf: (req: BareRequest) => req.headers["x-tier"],
  method: (req: BareRequest) => req.url,
  paymentIntent: (req: BareRequest) => req.url?.split("/").at(-1),
  channel: () => "general",
  trigger: (req: BareRequest) => req.url,
  model: () => "acme gpt",
  registeredDomain: () => "example.com",
};

interface Play {
  readonly clock: ManualClock;
  readonly guard: Guard<BareRequest>;
  ask(asked?: Asked): Promise<Told>;
  /** Resolves with how many of these in a row are admitted before the first refusal. */
  admitted(asked?: Asked, most?: number): Promise<number>;
  /** Charges a policy for the client of a request at once, without single requests. */
  charge(asked: Asked, policy: string, cost: number): Promise<void>;
}

interface Told {
  readonly decision: Decision;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly res: ServerResponse;
}

/** Sends requests to a preset, on its own clock. */
function play(preset: string, change: object = {}): Play {
  const clock = manualClock();
  const framework = { ...bareFramework(), route: (req: BareRequest) => req.url?.split("?")[0] };
  const thrown = (error: unknown): never => {
    throw error;
  };
  const guard = createGuard<BareRequest>(framework, {
    ...policiesFrom({ ...dataOf(preset), ...change }, { functions }),
    store: memoryStore({ clock }),
    onWarning: thrown,
    onError: thrown,
  });

  async function ask(asked: Asked = {}): Promise<Told> {
    const { method = "GET", url = "/", peer = "192.0.2.1", user, tier, cost } = asked;
    const headers = {
      ...(cost === undefined ? {} : { "x-cost": String(cost) }),
      ...(tier === undefined ? {} : { "x-tier": tier }),
    };
    const req = Object.assign(requestOf({ method, peer, user, headers }), { url });
    const verdict = await guard.admit(req);
    return { decision: verdict.decision!, headers: req.res.getHeaders(), res: req.res };
  }

  return {
    clock,
    guard,
    ask,
    async admitted(asked, most = 2000) {
      for (let n = 0; n < most; n++) if (!(await ask(asked)).decision.allowed) return n;
      return most;
    },
    async charge(asked, policy, cost) {
      const { decision } = await ask(asked);
      const { key } = decision.statuses.find((one) => one.policy === policy)!;
      const charged = await guard.limiter.check(key, { policy, cost: cost - 1 });
      expect(charged.allowed).toBe(true);
    },
  };
}

const ada = { id: "ada" };

it.each(names)("loads %s, and says for whom it is", async (name) => {
  await expect(readPolicyFile(new URL(`${name}.json`, folder), { functions })).resolves.toBeTypeOf(
    "object",
  );
  expect(dataOf(name).note).toMatch(/^[A-Z].*\.$/);
});

/** [preset, request, how many are admitted at once, which policy then refuses, milliseconds until one is admitted]. */
const rows: readonly [string, Asked, number, string, number][] = [
  ["github-rest", { url: "/user" }, 60, "core", 3_600_000],
  ["github-rest", { url: "/search/code", user: ada }, 30, "search", 60_000],
  ["github-rest", { url: "/search/code" }, 10, "search", 60_000],
  ["github-rest", { url: "/user", user: ada }, 900, "secondary-endpoint", 60_000],
  ["github-rest", { method: "POST", url: "/gists", user: ada }, 80, "content-minute", 60_000],
  ["stripe", { user: { account: "a" } }, 100, "read", 1000],
  ["stripe", { method: "POST", user: { account: "a" } }, 100, "write", 1000],
  ["stripe", { user: { account: "a", mode: "test" } }, 25, "read", 1000],
  ["stripe", { url: "/v1/charges/search", user: { account: "a" } }, 20, "search", 1000],
  ["stripe", { url: "/v1/files/f1", user: { account: "a" } }, 20, "files-read", 1000],
  ["shopify", { url: "/admin/api/1/x.json", user: { shop: "s", app: "a" } }, 40, "rest", 500],
  [
    "shopify",
    { url: "/admin/api/1/x", user: { shop: "s", app: "a", plan: "plus" } },
    80,
    "rest",
    250,
  ],
  ["discord", { user: { id: "bot" } }, 50, "global", 1000],
  ["x", { url: "/2/tweets", user: { app: "a" } }, 3500, "lookup-app", 900_000],
  ["x", { url: "/2/users", user: ada }, 5000, "lookup-user", 900_000],
  ["x", { url: "/2/tweets/1", user: { app: "a" } }, 450, "single-app", 900_000],
  ["x", { url: "/2/tweets/1", user: ada }, 900, "single-user", 900_000],
  ["x", { url: "/2/tweets/search/recent", user: { app: "a" } }, 450, "search-recent-app", 900_000],
  ["x", { url: "/2/tweets/search/recent", user: ada }, 300, "search-recent-user", 900_000],
  ["x", { url: "/2/tweets/search/all", user: { app: "a" } }, 1, "search-all-second", 1000],
  ["x", { method: "POST", url: "/2/tweets", user: ada }, 100, "post-user", 900_000],
  ["x", { method: "POST", url: "/2/tweets", user: { app: "a" } }, 10_000, "post-app", 86_400_000],
  ["slack", { url: "/api/files.list", user: { team: "t", app: "a" } }, 50, "method", 60_000],
  ["slack", { method: "POST", url: "/api/chat.postMessage" }, 1, "post", 1000],
  ["slack", { method: "POST", url: "/triggers/t/1" }, 10, "workflow-webhook", 60_000],
  ["openai", {}, 60, "requests", 1000],
  ["openai", { cost: 75_000 }, 2, "tokens", 30_000],
  ["groq", { cost: 9000 }, 2, "tokens", 30_000],
  ["groq", { cost: 0 }, 14_400, "requests", 6000],
  ["anthropic", {}, 50, "requests", 1200],
  ["anthropic", { cost: 4000 }, 2, "output-tokens", 30_000],
  ["reddit", {}, 100, "client", 600_000 + 6000],
  ["notion", { user: ada }, 3, "integration", 334],
  ["hubspot", { user: { account: "a" } }, 100, "SECONDLY", 10_000],
  ["docker-hub", {}, 100, "pulls", 21_600_000],
  ["docker-hub", { user: ada }, 200, "pulls", 21_600_000],
  ["letsencrypt", { method: "POST", url: "/acme/new-acct" }, 10, "new-account", 18 * 60_000],
  [
    "letsencrypt",
    { method: "POST", url: "/acme/new-order", user: { account: "a" } },
    300,
    "new-order",
    36_000,
  ],
  ["letsencrypt", { method: "POST", url: "/acme/finalize/1" }, 50, "certificates", 201.6 * 60_000],
  ["aws-ec2", { user: { account: "a", region: "r" } }, 100, "DescribeHosts", 50],
  ["cloudflare-ai-gateway", {}, 10, "gateway", 600_000 + 60_000],
];

it.each(rows)("%s: %o", async (preset, asked, count, policy, wait) => {
  const api = play(preset);
  if (count > 200) await api.charge(asked, policy, count - 50);
  expect(await api.admitted(asked)).toBe(count > 200 ? 50 : count);
  const { decision } = await api.ask(asked);
  expect(decision).toMatchObject({ allowed: false, policy, retryAfter: wait });
  api.clock.advance(wait - 1);
  expect((await api.ask(asked)).decision.allowed).toBe(false);
  api.clock.advance(1);
  expect((await api.ask(asked)).decision.allowed).toBe(true);
});

describe("worked numbers", () => {
  it("GitHub: reads cost 1 and writes 5 of the 900 points of an endpoint", async () => {
    const api = play("github-rest");
    for (const method of ["GET", "HEAD", "OPTIONS"])
      await api.ask({ method, url: "/a", user: ada });
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      await api.ask({ method, url: "/b", user: ada });
    }
    const remaining = async (url: string): Promise<unknown> => {
      const { decision } = await api.ask({ url, user: ada });
      return decision.statuses.find((one) => one.policy === "secondary-endpoint")?.remaining;
    };
    // HEAD and GET of a route share a bucket, OPTIONS has another.
    expect(await remaining("/a")).toBe(900 - 3);
    expect(await remaining("/b")).toBe(900 - 1);
  });

  it("GitHub: enterprises have 15000 an hour, tokens of Actions 1000 for a repository", async () => {
    const api = play("github-rest");
    const limits = async (user: Readonly<Record<string, string>>) => {
      const { decision } = await api.ask({ url: "/user", user });
      return Object.fromEntries(decision.statuses.map((one) => [one.policy, one.limit]));
    };
    expect(await limits({ id: "a", plan: "enterprise" })).toMatchObject({ core: 15_000 });
    expect(await limits({ id: "b", repository: "r" })).toMatchObject({ core: 5000, actions: 1000 });
    expect(await limits({ id: "c" })).not.toHaveProperty("actions");
  });

  it("GitHub: 500 writes of content an hour, however slow", async () => {
    const api = play("github-rest");
    const asked = { method: "POST", url: "/gists", user: ada };
    let admitted = 0;
    for (let minute = 0; minute < 8; minute++) {
      admitted += await api.admitted(asked);
      api.clock.advance(60_000);
    }
    expect(admitted).toBe(500);
    expect((await api.ask(asked)).decision.policy).toBe("content-hour");
  });

  it("GitHub GraphQL: 5101 requests of nodes are 51 points, and a refusal has status 200", async () => {
    const api = play("github-graphql");
    const points = Math.max(1, Math.round((1 + 100 + 5000) / 100));
    const { headers } = await api.ask({ user: ada, cost: points });
    expect(headers).toMatchObject({ "x-ratelimit-limit": "2000", "x-ratelimit-remaining": "1949" });
    const refused = requestOf({ user: ada, headers: { "x-cost": "1950" } });
    const verdict = await api.guard.admit(Object.assign(refused, { url: "/graphql" }));
    expect(verdict).toMatchObject({ kind: "refuse", status: 200 });
  });

  it("Shopify GraphQL: 101 points reserved and 46 used leave 954", async () => {
    const api = play("shopify");
    const asked = {
      method: "POST",
      url: "/admin/api/1/graphql.json",
      user: { shop: "s", app: "a" },
    };
    const { decision } = await api.ask({ ...asked, cost: 101 });
    expect(decision.remaining).toBe(899);
    await decision.settle(46);
    expect((await api.ask({ ...asked, cost: 0 })).decision.remaining).toBe(954);
    expect((await api.ask({ ...asked, cost: 1001 })).decision.reason).toBe("cost-exceeds-limit");
  });

  it("Shopify REST: 32/40, and a wait with a decimal", async () => {
    const api = play("shopify");
    const asked = { url: "/admin/api/1/x.json", user: { shop: "s", app: "a" } };
    for (let i = 0; i < 31; i++) await api.ask(asked);
    const told = await api.ask(asked);
    expect(told.headers).toMatchObject({ "x-shopify-shop-api-call-limit": "32/40" });
    await api.admitted(asked);
    expect((await api.ask(asked)).headers).toMatchObject({ "retry-after": "0.5" });
    api.clock.advance(20_000);
    expect(await api.admitted(asked)).toBe(40);
  });

  it("OpenAI: a request of 60 leaves 59, and a second brings it back", async () => {
    const { headers } = await play("openai").ask();
    expect(headers).toMatchObject({
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-tokens": "149999",
    });
  });

  it("Groq: 30 requests of 14400 are back in 3 minutes, 6 seconds each", async () => {
    const api = play("groq");
    for (let i = 0; i < 29; i++) await api.ask({ cost: 0 });
    const { headers } = await api.ask({ cost: 0 });
    expect(headers).toMatchObject({
      "x-ratelimit-remaining-requests": "14370",
      "x-ratelimit-reset-requests": "3m0s",
    });
  });

  it("Anthropic: what was put out is known afterwards", async () => {
    const api = play("anthropic");
    const { decision } = await api.ask({ cost: 4000 });
    await decision.settle({ "output-tokens": 500 });
    const { headers } = await api.ask({ cost: 0 });
    expect(headers).toMatchObject({
      "anthropic-ratelimit-output-tokens-remaining": "7500",
      "anthropic-ratelimit-input-tokens-remaining": "26000",
    });
  });

  it("Docker Hub: 80 of 100 leave 20, and a network of 64 bits is one", async () => {
    const api = play("docker-hub");
    for (let i = 0; i < 79; i++) await api.ask({ peer: `2001:db8::${i + 1}` });
    const { headers } = await api.ask({ peer: "2001:db8::ffff" });
    expect(headers).toMatchObject({
      "ratelimit-limit": "100;w=21600",
      "ratelimit-remaining": "20;w=21600",
    });
    expect((await api.ask({ peer: "2001:db8:0:1::1" })).headers["ratelimit-remaining"]).toBe(
      "99;w=21600",
    );
  });

  it("Let's Encrypt: a network of 48 bits has 500 accounts, one more each 21.6 seconds", async () => {
    const api = play("letsencrypt");
    const asked = (n: number): Asked => ({
      method: "POST",
      url: "/acme/new-acct",
      peer: `2001:db8:1:${n.toString(16)}::1`,
    });
    for (let n = 0; n < 500; n++) expect((await api.ask(asked(n))).decision.allowed).toBe(true);
    const { decision } = await api.ask(asked(500));
    expect(decision).toMatchObject({ policy: "new-account-range", retryAfter: 21_600 });
  });

  it("AWS: an empty bucket is full again after 5 seconds", async () => {
    const api = play("aws-ec2");
    const asked = { user: { account: "a", region: "r" } };
    await api.admitted(asked);
    expect((await api.ask(asked)).decision.resetAfter).toBe(5000);
    api.clock.advance(5000);
    expect(await api.admitted(asked)).toBe(100);
  });

  it("Cloudflare: ten at 12:09 and ten at 12:11 pass fixed windows and not sliding ones", async () => {
    const noon = 1_700_049_600_000;
    const secondTen = async (algorithm: string): Promise<number> => {
      const api = play("cloudflare-ai-gateway", { algorithm });
      api.clock.set(noon + 9 * 60_000);
      expect(await api.admitted({}, 10)).toBe(10);
      api.clock.set(noon + 11 * 60_000);
      return api.admitted({}, 10);
    };
    expect(await secondTen("fixed-window")).toBe(10);
    expect(await secondTen("sliding-window")).toBe(1);
    expect(await secondTen("sliding-log")).toBe(0);
  });

  it("Reddit: 300 at the end of a window and 300 in the next are cut for who has 100 a minute", async () => {
    const api = play("reddit");
    const asked = { user: { id: "a", client_id: "c" } };
    expect(await api.admitted(asked)).toBe(1000);
    api.clock.advance(600_000);
    expect(await api.admitted(asked)).toBeLessThan(300);
  });

  it("HubSpot: the day ends at midnight of the zone", async () => {
    const api = play("hubspot");
    const { decision } = await api.ask({ user: { account: "a", plan: "pro" } });
    const daily = decision.statuses.find((one) => one.policy === "DAILY");
    expect(daily).toMatchObject({ limit: 500_000, remaining: 499_999 });
    expect(daily?.resetAfter).toBe(86_400_000);
  });

  it("Slack: tiers by method", async () => {
    const api = play("slack");
    const counts = [];
    for (const tier of ["tier1", "tier2", "tier3", "tier4"]) {
      const asked = { tier, url: `/api/${tier}.method`, user: { team: "t", app: "a" } };
      counts.push(await api.admitted(asked));
    }
    expect(counts).toEqual([1, 20, 50, 100]);
  });

  it("Discord: 10000 answers of 401, 403 or 429 within ten minutes are a ban, others are not counted", async () => {
    const api = play("discord");
    const answered = async (status: number): Promise<string> => {
      const { decision, res } = await api.ask({ user: { id: `bot${count++}` } });
      if (!decision.allowed) return decision.reason;
      res.writeHead(status).end();
      res.emit("close");
      return "ok";
    };
    let count = 0;
    for (let i = 0; i < 50; i++) await answered(200);
    // A request that continued, charged for itself and 9990 more.
    await api.charge({}, "invalid", 9991);
    for (let i = 0; i < 9; i++) expect(await answered([401, 403, 429][i % 3]!)).toBe("ok");
    expect(await answered(200)).not.toBe("ok");
    api.clock.advance(10 * 60_000);
    expect(await answered(200)).toBe("blocked");
    api.clock.advance(50 * 60_000);
    expect(await answered(200)).toBe("ok");
  });

  it("Discord: refusals of the limiter itself are not counted among the invalid answers, and the note says so", async () => {
    const api = play("discord");
    const decisions: Decision[] = [];
    for (let i = 0; i < 120; i++) {
      const { decision, res } = await api.ask({ user: { id: "bot" } });
      res.writeHead(decision.allowed ? 403 : 429).end();
      res.emit("close");
      decisions.push(decision);
    }
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(50);
    expect(decisions.at(-1)!.statuses).toMatchObject([
      { policy: "global", remaining: 0 },
      { policy: "invalid", remaining: 10_000 - 50 },
    ]);
    expect(dataOf("discord").note).toContain("429s of this limiter itself are not");
  });
});

/** The table of documented numbers, which is beside the repository where it is built. */
const table = new URL("../../../../shared/cases/public-policies.json", import.meta.url);

interface Documented {
  readonly limit?: number;
  readonly window?: string;
  readonly capacity?: number;
  readonly refill?: number;
  readonly per?: string;
}

it.skipIf(!existsSync(table))("have every documented number", async () => {
  const { apis } = JSON.parse(readFileSync(table, "utf8")) as {
    apis: Record<string, { name: string; limits: Documented[] }[]>;
  };
  const missing: string[] = [];
  for (const [api, entries] of Object.entries(apis)) {
    const preset = names.find((name) => api === name || api.startsWith(`${name}-`));
    const known = preset === undefined ? [] : numbersIn(dataOf(preset));
    for (const { name, limits } of entries) {
      for (const limit of limits) {
        if (!known.includes(numberOf(limit))) missing.push(`${api} ${name} ${numberOf(limit)}`);
      }
    }
  }
  expect(Object.keys(apis).length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function seconds(text: string): number {
  if (text === "day") return 86_400;
  return Number.parseFloat(text) * units[text.at(-1)!]!;
}

function numberOf({ limit, window, capacity, refill, per }: Documented): string {
  if (limit !== undefined) return `${limit} in ${seconds(window!)}`;
  return `${capacity} in ${(capacity! / refill!) * seconds(per!)}`;
}

/** Returns all limits with their windows, of policies and of their tiers. */
function numbersIn(data: unknown, above: { window?: unknown } = {}): string[] {
  if (typeof data !== "object" || data === null) return [];
  const own = { ...above, ...(data as { limit?: unknown; window?: unknown }) };
  const { limit, window } = own;
  const mine =
    "limit" in data && typeof window === "string" ? [`${limit} in ${seconds(window)}`] : [];
  return [...mine, ...Object.values(data).flatMap((inner) => numbersIn(inner, { window }))];
}
