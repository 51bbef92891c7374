import { setImmediate } from "node:timers/promises";
import type { PolicySource } from "@spillway/core";
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
  type HTTPMethods,
  type InjectOptions,
} from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { type RouteRateLimit } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const handler = async ({ rateLimit }: FastifyRequest): Promise<object> => ({
  policy: rateLimit?.policy,
});

/** Versions of one route, each with its methods and its override. */
type Versions = readonly (readonly [
  version: string,
  method: HTTPMethods | HTTPMethods[],
  own: RouteRateLimit,
])[];

/** Declares them before the plugin, which cannot see their constraints then. */
function appOf(versions: Versions): { app: FastifyInstance; codes: string[] } {
  const app = Fastify();
  const codes: string[] = [];
  app.register(rateLimit, { ...windowOf(9), onWarning: ({ code }) => codes.push(code) });
  for (const [version, method, own] of versions) {
    const config = { rateLimit: own };
    app.route({ method, url: "/a", constraints: { version }, config, handler });
  }
  return { app, codes };
}

/** Parses "GET 1" as a request for the version 1.0.0. */
function asked(text: string): { method: HTTPMethods; url: string; headers: object } {
  const [method, major] = text.split(" ") as [HTTPMethods, string];
  return { method, url: "/a", headers: { "accept-version": `${major}.0.0` } };
}

type Asked = Parameters<typeof remaining>[1];

async function left(app: FastifyInstance, requests: readonly string[]): Promise<number[]> {
  return remaining(app, ...(requests.map(asked) as Asked[]));
}

function sourceOf(name: string): PolicySource & { listening: number } {
  return {
    listening: 0,
    current: { name, limit: 3, window: "1m" },
    subscribe() {
      this.listening += 1;
      return () => {
        this.listening -= 1;
      };
    },
    close() {},
  };
}

function twins(first: HTTPMethods | HTTPMethods[], second: HTTPMethods | HTTPMethods[]): Versions {
  return [
    ["1.0.0", first, { limit: 2 }],
    ["2.0.0", second, { limit: 5 }],
  ];
}

/** Two versions with the same options object. */
function shared(first: HTTPMethods | HTTPMethods[], second: HTTPMethods | HTTPMethods[]): Versions {
  const own = { limit: 3 };
  return [
    ["1.0.0", first, own],
    ["2.0.0", second, own],
  ];
}

const early = ["SPILLWAY_EARLY_ROUTES"];

describe("routes of one pattern, declared before the plugin is there", () => {
  it.each<[Versions, requests: string[], left: number[]]>([
    [twins("GET", "GET"), ["GET 1", "GET 2", "HEAD 2", "HEAD 1"], [1, 4, 3, 0]],
    [twins("GET", "GET"), ["HEAD 1", "GET 2", "GET 1", "HEAD 2"], [1, 4, 0, 3]],
    [twins("GET", "GET"), ["HEAD 2", "HEAD 1", "GET 1", "GET 2"], [4, 1, 0, 3]],
    [twins(["GET", "POST"], "GET"), ["GET 1", "GET 2", "POST 1"], [1, 4, 0]],
    [twins(["GET", "POST"], "GET"), ["POST 1", "HEAD 2", "HEAD 1", "GET 2"], [1, 4, 0, 3]],
    [twins(["POST", "GET"], ["GET", "PUT"]), ["PUT 2", "POST 1", "GET 2"], [4, 1, 3]],
    [twins("HEAD", "GET"), ["GET 2", "HEAD 1", "HEAD 2"], [4, 1, 3]],
    [twins("POST", "POST"), ["POST 2", "POST 1", "POST 2"], [4, 1, 3]],
  ])(
    "have a bucket each, with HEAD in that of its GET, and are warned of: %#",
    async (versions, requests, expected) => {
      const { app, codes } = appOf(versions);
      expect(await left(app, requests)).toEqual(expected);
      await setImmediate();
      expect(codes).toEqual(early);
    },
  );

  it("share none also where their limits are equal", async () => {
    const { app, codes } = appOf([
      ["1.0.0", "GET", { limit: 3 }],
      ["2.0.0", "GET", { limit: 3 }],
      ["3.0.0", "GET", { limit: 3 }],
    ]);
    const requests = ["HEAD 1", "GET 2", "GET 3", "GET 1", "HEAD 2", "HEAD 3"];
    expect(await left(app, requests)).toEqual([2, 2, 2, 1, 1, 1]);
    await setImmediate();
    expect(codes).toEqual(early);
  });

  it.each<[Versions, requests: string[], left: number[]]>([
    [shared("GET", "GET"), ["GET 1", "GET 2", "GET 2", "GET 1"], [2, 2, 1, 1]],
    [shared("POST", "POST"), ["POST 2", "POST 1"], [2, 2]],
    [shared(["GET", "POST"], "GET"), ["POST 1", "GET 2", "GET 1"], [2, 2, 1]],
    [shared(["GET", "PUT"], ["POST", "GET"]), ["POST 2", "GET 1"], [2, 2]],
    // Nothing shows whose HEAD it is: each GET has one, though not always its own.
    [shared("GET", "GET"), ["GET 1", "GET 2", "HEAD 2", "HEAD 1", "GET 1"], [2, 2, 1, 1, 0]],
  ])(
    "share none also where they share one object of options: %#",
    async (versions, requests, expected) => {
      const { app, codes } = appOf(versions);
      expect(await left(app, requests)).toEqual(expected);
      await setImmediate();
      expect(codes).toEqual(early);
    },
  );

  it.each(["", "/"])(
    "are one where one declaration makes them of the root of a plugin: %j",
    async (end) => {
      for (const asked of ["?a=/b", "/?a", "?a#/", "//", ""]) {
        const app = Fastify({ ignoreDuplicateSlashes: asked === "//" });
        const codes: string[] = [];
        const child: FastifyPluginAsync = async (instance) => {
          instance.register(rateLimit, {
            ...windowOf(5),
            onWarning: ({ code }) => codes.push(code),
          });
          instance.get("/", { config: { rateLimit: { limit: 3 } } }, handler);
        };
        app.register(child, { prefix: `/v1${end}` });
        const urls = [`/v1${end}${asked}`, `/v1${end}`, `/v1${end}/`];
        expect(await remaining(app, ...urls)).toEqual([2, 1, 0]);
        await setImmediate();
        expect(codes).toEqual([]);
      }
    },
  );

  it("are told apart at the root of a plugin as well", async () => {
    const app = Fastify();
    const codes: string[] = [];
    const config = { rateLimit: { limit: 3 } };
    const child: FastifyPluginAsync = async (instance) => {
      instance.register(rateLimit, { ...windowOf(9), onWarning: ({ code }) => codes.push(code) });
      for (const version of ["1.0.0", "2.0.0"]) {
        instance.get("/", { constraints: { version }, config }, handler);
      }
    };
    app.register(child, { prefix: "/v1" });
    const requests = ["GET 1", "GET 2", "GET 1"].map((text) => ({ ...asked(text), url: "/v1/" }));
    expect(await remaining(app, ...(requests as Asked[]))).toEqual([2, 2, 1]);
    await setImmediate();
    expect(codes).toEqual(early);
  });

  const rule = { limit: 3, window: "1m", name: "two" } as const;
  it.each<[one: RouteRateLimit, two: RouteRateLimit, names: string[]]>([
    [{ limit: 3, name: "one" }, { limit: 3, name: "two" }, ["one", "two"]],
    [{ limit: 3, name: "one" }, { policies: [rule] }, ["one", "two"]],
    [{ source: sourceOf("one") }, { rules: [rule], matching: "first" }, ["one", "two"]],
    // Only one is named after the route.
    [{ limit: 3 }, { limit: 3, name: "two" }, ["GET /a", "two"]],
    [{ limit: 3, name: "one" }, { limit: 3 }, ["one", "GET /a"]],
  ])("are not warned of where names of their own tell them apart: %#", async (one, two, names) => {
    const { app, codes } = appOf([
      ["1.0.0", "GET", one],
      ["2.0.0", "GET", two],
    ]);
    expect(await left(app, ["HEAD 1", "GET 2", "GET 1"])).toEqual([2, 2, 1]);
    for (const [i, policy] of names.entries()) {
      const answer = await app.inject(asked(`GET ${i + 1}`) as InjectOptions);
      expect(answer.json()).toEqual({ policy });
    }
    await setImmediate();
    expect(codes).toEqual([]);
  });

  it("share the bucket of a name that they give", async () => {
    const otp = { limit: 3, name: "otp" };
    const { app, codes } = appOf([
      ["1.0.0", "GET", otp],
      ["2.0.0", "GET", otp],
      ["3.0.0", "GET", { ...otp }],
    ]);
    expect(await left(app, ["GET 1", "GET 2", "GET 3"])).toEqual([2, 1, 0]);
    await setImmediate();
    expect(codes).toEqual([]);
  });

  it("are warned of only where there are several", async () => {
    const { app, codes } = appOf([["1.0.0", ["GET", "POST"], { limit: 3 }]]);
    expect(await left(app, ["HEAD 1", "GET 1", "POST 1"])).toEqual([2, 1, 0]);
    await setImmediate();
    expect(codes).toEqual([]);
  });
});

describe("the guards of routes", () => {
  it.each([true, false])("are all let go of, registration awaited: %s", async (awaited) => {
    const sources = { HEAD: sourceOf("one"), GET: sourceOf("two") };
    const listening = () => sources.HEAD.listening + sources.GET.listening;
    const app = Fastify();
    const registered = app.register(rateLimit, { ...windowOf(9), onWarning: () => {} });
    if (awaited) await registered;
    for (const method of ["HEAD", "GET"] as const) {
      const config = { rateLimit: { source: sources[method] } };
      app.route({ method, url: "/a", config, handler });
    }
    expect(await statuses(app, "/a", { method: "HEAD", url: "/a" })).toEqual([200, 200]);
    expect(listening()).toBe(2);
    await app.close();
    expect(listening()).toBe(0);
  });
});
