import { describe, expect, it } from "vitest";
import { type BareRequest, bareFramework } from "../../test/http-scenarios/bare-server.ts";
import { requestOf, type Said } from "../../test/http-scenarios/requests.ts";
import { memoryStore } from "../memory-store.ts";
import type { Charge, Store } from "../store.ts";
import { manualClock } from "../testing/index.ts";
import { createGuard, type Guard } from "./guard.ts";
import { keyOf } from "./identity/key-of.ts";
import { apiKey, header, ip } from "./index.ts";
import type { HttpOptions } from "./options/http-options.ts";
import type { Verdict } from "./verdict.ts";

const policy = { limit: 2, window: "1m", algorithm: "fixed-window" } as const;

function guardOf(options: Partial<HttpOptions<BareRequest>> = {}): Guard<BareRequest> {
  const store = memoryStore({ clock: manualClock() });
  return createGuard(bareFramework(), {
    ...("policies" in options ? {} : policy),
    store,
    onWarning: () => {},
    ...options,
  } as HttpOptions<BareRequest>);
}

/** Creates a store that records what it was asked to charge. */
function recording(): Store & { readonly asked: string[] } {
  const store = memoryStore({ clock: manualClock() });
  const asked: string[] = [];
  return {
    ...store,
    asked,
    take(charges: readonly Charge[], keep: boolean) {
      asked.push(
        charges.map(({ policy: { limit }, key, cost }) => `${key}×${cost}/${limit}`).join(" "),
      );
      return store.take(charges, keep);
    },
  };
}

describe("a guard", () => {
  it.each([
    ["of one policy that count as a whole", {}, ["SPILLWAY_CHARGED_TWICE"]],
    ["of two kinds that go by one name", { ban: { for: "1h" } }, []],
  ])("warns of limiters %s, also where the later one refuses for that", (_, more, warned) => {
    const store = memoryStore({ clock: manualClock() });
    const codes: string[] = [];
    const onWarning = ({ code }: { readonly code: string }): void => void codes.push(code);
    const shared = { name: "api", store, onWarning };
    const guards = [guardOf({ ...shared, limit: 9 }), guardOf({ ...shared, limit: 1, ...more })];
    for (let i = 0; i < 2; i++) {
      const req = requestOf();
      for (const guard of guards) void guard.admit(req);
    }
    expect(codes).toEqual(warned);
  });

  it("answers in place where everything that it asks does", () => {
    const guard = guardOf({
      key: [() => null, apiKey({ verify: () => true }), ip()],
      cost: () => 1,
    });
    const verdict = guard.admit(requestOf()) as Verdict;
    expect(verdict.kind).toBe("pass");
    expect(verdict.decision?.remaining).toBe(1);
  });

  it("answers later as soon as one of them does", async () => {
    const functions: Partial<HttpOptions<BareRequest>>[] = [
      { key: async () => "a" },
      { cost: async () => 1 },
      { limit: async () => 2 },
      { skip: async () => false },
    ];
    for (const options of functions) {
      const verdict = guardOf(options).admit(requestOf());
      expect(verdict).toBeInstanceOf(Promise);
      expect((await verdict).decision?.remaining).toBe(1);
    }
  });

  it("asks skip, key, limit and cost of each policy in order, and no more than it needs", async () => {
    const asked: string[] = [];
    const told = <T>(name: string, value: T) =>
      ((req: BareRequest) => {
        asked.push(`${name} ${req.url}`);
        return value;
      }) as never;
    const guard = guardOf({
      policies: [
        { ...policy, name: "a", skip: told("skip a", true), key: told("key a", "k") },
        {
          ...policy,
          name: "b",
          skip: told("skip b", false),
          key: told("key b", "k"),
          limit: told("limit b", 3),
          cost: told("cost b", 1),
        },
      ],
    });
    const req = Object.assign(requestOf(), { url: "/x" });
    const { decision } = await guard.admit(req);
    expect(asked).toEqual(["skip a /x", "skip b /x", "key b /x", "limit b /x", "cost b /x"]);
    expect(decision?.statuses.map(({ policy }) => policy)).toEqual(["b"]);
  });

  it("charges the key, and its ceiling where nobody verified it", async () => {
    const rows: [Said, string][] = [
      [{ peer: "192.0.2.1" }, "ip:192.0.2.1×1/2"],
      [{ peer: "192.0.2.1", user: { id: "ada" } }, "user:ada×1/2"],
      [
        { peer: "2001:db8::1", headers: { "x-api-key": "k" } },
        `${keyOf.apiKey("k")}×1/2 ip:2001:db8::/64×1/20`,
      ],
      [{ peer: undefined, headers: { "x-api-key": "k" } }, `${keyOf.apiKey("k")}×1/2 ip:none×1/20`],
    ];
    for (const [said, charged] of rows) {
      const store = recording();
      await guardOf({ store }).admit(requestOf(said));
      expect(store.asked).toEqual([charged]);
    }
  });

  it("takes a ceiling from the extractor, else from the policy", async () => {
    const headers = { "x-api-key": "k" };
    const charged = async (
      own: number | false | undefined,
      general: number | false | undefined,
    ) => {
      const store = recording();
      const key = apiKey({ unverifiedCeiling: own });
      await guardOf({ store, key, unverifiedCeiling: general }).admit(requestOf({ headers }));
      return store.asked[0]?.split("/").slice(2).join("/") || "none";
    };
    expect(await charged(undefined, undefined)).toBe("20");
    expect(await charged(7, undefined)).toBe("7");
    expect(await charged(undefined, 8)).toBe("8");
    expect(await charged(7, 8)).toBe("7");
    expect(await charged(7, false)).toBe("7");
    expect(await charged(false, 8)).toBe("none");
    expect(await charged(undefined, false)).toBe("none");
    expect(await charged(0, undefined)).toBe("0");
  });

  it("charges a request once, and another guard's request again", () => {
    const [one, other] = [guardOf(), guardOf()];
    const req = requestOf();
    const kinds = [one, one, other, one].map(
      (guard) => (guard.admit(req) as Verdict).decision?.remaining,
    );
    expect(kinds).toEqual([1, undefined, 1, undefined]);
    expect((one.admit(requestOf()) as Verdict).decision?.remaining).toBe(0);
  });

  it("shows the ceiling that refuses in place of its policy, under the one name", async () => {
    const guard = guardOf({ headers: ["legacy", "draft-8"], unverifiedCeiling: 1 });
    await guard.admit(requestOf({ headers: { "x-api-key": "a" } }));
    const req = requestOf({ headers: { "x-api-key": "b" } });
    expect((await guard.admit(req)).kind).toBe("refuse");
    expect(req.res.getHeaders()).toMatchObject({
      "ratelimit-policy": '"default";q=1;w=60',
      "x-ratelimit-limit": "1",
      "x-ratelimit-remaining": "0",
    });
    expect(req.res.getHeader("ratelimit")).toMatch(/^"default";r=0;t=\d+$/);
  });

  it("hides a ceiling that does not refuse, however tight it is", async () => {
    const guard = guardOf({ unverifiedCeiling: 1 });
    const req = requestOf({ headers: { "x-api-key": "a" } });
    await guard.admit(req);
    expect(req.res.getHeaders()).toMatchObject({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "1",
    });
  });

  it("resets a key with its ceiling, in all policies or one", async () => {
    const guard = guardOf({
      policies: [
        { ...policy, name: "a", unverifiedCeiling: 1 },
        { ...policy, name: "b", key: header("x-tenant") },
      ],
    });
    const admit = async (key: string) =>
      (await guard.admit(requestOf({ headers: { "x-api-key": key, "x-tenant": "t" } }))).kind;
    expect([await admit("1"), await admit("2")]).toEqual(["pass", "refuse"]);
    await guard.limiter.reset(keyOf.ip("127.0.0.1"), { policy: "b" });
    expect(await admit("3")).toBe("refuse");
    await guard.limiter.reset(keyOf.ip("127.0.0.1"), { policy: "a" });
    expect(await admit("4")).toBe("pass");
    await expect(guard.limiter.reset("k", { policy: "c" })).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
  });

  it("is looked at by hand where its functions need a request", async () => {
    const { limiter } = guardOf({
      skip: ({ url }) => url === "/health",
      cost: ({ headers }) => Number(headers["x-cost"]),
    });
    expect((await limiter.check("k")).remaining).toBe(1);
    expect((await limiter.peek("k")).remaining).toBe(1);
    expect((await limiter.check("k", { cost: 2 })).allowed).toBe(false);
    await limiter.reset("k");
    expect((await limiter.checkOrThrow("k")).remaining).toBe(1);
  });

  it("says that it cannot be where its limit needs a request", async () => {
    const limits = [
      ({ headers }: BareRequest) => Number(headers["x-limit"]),
      async ({ headers }: BareRequest) => Number(headers["x-limit"]),
    ];
    for (const limit of limits) {
      const { limiter } = guardOf({ limit });
      await expect(limiter.peek("k")).rejects.toMatchObject({
        code: "ERR_INVALID_CONFIG",
        message: expect.stringMatching(
          /^limit: expected a limit of policy default that needs no request \(as tiers do not/,
        ),
        cause: { message: expect.stringContaining("headers") },
      });
    }
    const { limiter } = guardOf({ limit: (req?: BareRequest) => (req ? 1 : 7) });
    expect((await limiter.peek("k")).limit).toBe(7);
  });

  it("warns of tiers that nothing chooses", () => {
    const codes: (string | undefined)[] = [];
    const onWarning = ({ code }: { readonly code?: string }) => void codes.push(code);
    const tiers = { pro: { limit: 9 } };
    guardOf({ ...policy, tiers, tier: () => "pro", onWarning });
    expect(codes).toEqual([]);
    guardOf({ ...policy, tiers, onWarning });
    expect(codes).toEqual(["SPILLWAY_TIERS_UNUSED"]);
  });

  it("needs no response", async () => {
    const req = Object.assign(requestOf(), { res: undefined as never });
    const guard = guardOf({ limit: 1, refund: "failed" });
    expect((await guard.admit(req)).kind).toBe("pass");
    const next = Object.assign(requestOf(), { res: undefined as never });
    expect(await guard.admit(next)).toMatchObject({ kind: "refuse", status: 429 });
  });

  it("listens to an answer only where something may be given back", async () => {
    for (const [refund, listeners] of [
      [undefined, 0],
      ["failed", 1],
    ] as const) {
      const req = requestOf();
      req.res.assignSocket(req.socket);
      const before = req.res.listenerCount("close");
      await guardOf({ refund }).admit(req);
      expect(req.res.listenerCount("close") - before).toBe(listeners);
    }
  });
});

describe("createGuard", () => {
  const refuses = (options: object, ...told: string[]): void => {
    const make = () =>
      createGuard(bareFramework(), { limit: 1, window: "1m", ...options } as never);
    expect(make).toThrow(expect.objectContaining({ code: "ERR_INVALID_CONFIG" }));
    for (const text of told) expect(make).toThrow(text);
  };

  it.each([
    ["key", "address"],
    ["key", []],
    ["key", [() => "a", 7]],
    ["refund", "always"],
    ["refund", true],
    ["unverifiedCeiling", 1.5],
    ["unverifiedCeiling", true],
    ["headers", "standard"],
    ["headers", true],
    ["headers", []],
    ["headers", ["draft-7", "draft-8"]],
    ["reset", "seconds"],
    ["body", "html"],
    ["body", {}],
    ["status", 200],
    ["status", 600],
    ["status", "429"],
    ["trustProxy", true],
    ["trustProxy", 0],
    ["trustProxy", 1.5],
    ["trustProxy", "loopback"],
    ["trustProxy", []],
    ["trustProxy", ["10.0.0.0/8", "nonsense"]],
    ["trustProxy", [7]],
    ["ipv6Prefix", 0],
    ["ipv6Prefix", 129],
    ["ipv6Prefix", -1],
    ["ipv6Prefix", Number.NaN],
    ["ipv6Prefix", 56.5],
    ["ipv6Prefix", "64"],
    ["exposeHeaders", "yes"],
    ["throw", 1],
    ["store", {}],
    ["skip", true],
    ["name", "a\r\nX-Own: 1"],
    ["name", "é"],
    ["name", ""],
  ])("refuses %s: %j, and names it", (option, value) => {
    refuses({ [option]: value }, `${option}`, "expected", "received");
  });

  it("names the policy of an option, and the name that was meant", () => {
    const policies = [{ name: "a", limit: 1, window: "1m" }];
    const make = (options: object) => () => createGuard(bareFramework(), options as never);
    expect(make({ policies: [{ ...policies[0], refund: 1 }] })).toThrow(/^policies\[0\]\.refund: /);
    expect(make({ policies: [...policies, ...policies] })).toThrow(/^policies\[1\]\.name: /);
    expect(make({ policies, headerz: "legacy" })).toThrow("did you mean headers?");
    expect(make({ limit: 1, window: "1m", trustproxy: 1 })).toThrow("did you mean trustProxy?");
  });

  it("takes undefined for an option that is left out", async () => {
    const names = [
      "name key cost skip refund shadow countRefused unverifiedCeiling store headers reset body status",
      "trustProxy ipv6Prefix exposeHeaders throw onStoreError onDecision onRefused onError policies",
    ];
    const none = Object.fromEntries(
      names
        .join(" ")
        .split(" ")
        .map((name) => [name, undefined]),
    );
    const guard = createGuard(bareFramework(), { ...none, limit: 1, window: "1m" } as never);
    const req = requestOf();
    expect((await guard.admit(req)).kind).toBe("pass");
    expect(req.res.getHeader("x-ratelimit-remaining")).toBe("0");
  });
});
