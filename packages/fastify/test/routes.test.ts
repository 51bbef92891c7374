import { manualClock } from "@spillway/core/testing";
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { type FastifyRateLimitOptions, ip, type RouteRateLimit } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const handler = async (): Promise<string> => "ok";

async function appWith(options: FastifyRateLimitOptions): Promise<FastifyInstance> {
  const app = Fastify();
  await app.register(rateLimit, options);
  return app;
}

function limited(own: RouteRateLimit): { config: { rateLimit: RouteRateLimit } } {
  return { config: { rateLimit: own } };
}

describe("config.rateLimit", () => {
  it("exempts by false, overrides by options, and else leaves the plugin's bucket", async () => {
    const app = await appWith(windowOf(2));
    app.get("/plain", handler);
    app.get("/also", handler);
    app.get("/exempt", limited(false), handler);
    app.get("/own", limited({ limit: 1 }), handler);
    app.get("/named-after", limited({}), handler);
    expect(await statuses(app, "/plain", "/also", "/plain")).toEqual([200, 200, 429]);
    expect(await statuses(app, "/exempt", "/exempt", "/exempt")).toEqual([200, 200, 200]);
    expect(await statuses(app, "/own", "/own")).toEqual([200, 429]);
    expect(await statuses(app, "/named-after", "/named-after", "/named-after")).toEqual([
      200, 200, 429,
    ]);
    expect((await app.inject("/exempt")).headers).not.toHaveProperty("x-ratelimit-limit");
    expect((await app.inject("/own")).json()).toMatchObject({ policy: "GET /own", limit: 1 });
  });

  it.each<[string, object, string]>([
    ["beside config", { rateLimit: { limit: 1 } }, "rateLimit of GET /own"],
    ["beside config, as false", { rateLimit: false }, "rateLimit of GET /own"],
    ["in other letters", { config: { ratelimit: { limit: 1 } } }, "config.ratelimit of GET /own"],
    ["in parts", { config: { "rate-limit": { limit: 1 } } }, "config.rate-limit of GET /own"],
  ])(
    "is not looked for %s, and its route is not limited as if it had none",
    async (_, own, path) => {
      const app = await appWith(windowOf(9));
      const declare = () => app.get("/own", own, handler);
      const expected = "none: a route's own limit stands in config.rateLimit";
      expect(declare).toThrow(
        expect.objectContaining({
          code: "ERR_INVALID_CONFIG",
          issues: [{ path, expected, received: expect.any(String) }],
        }),
      );
    },
  );

  it("leaves alone what others call so, where the route says its limit in config.rateLimit", async () => {
    const app = await appWith(windowOf(9));
    const own = { rateLimit: "of another", config: { rate_limit: 3, rateLimit: { limit: 1 } } };
    app.get("/own", own, handler);
    app.get("/undefined", { rateLimit: undefined, config: {} } as object, handler);
    expect(await statuses(app, "/own", "/own", "/undefined")).toEqual([200, 429, 200]);
  });

  it("inherits what is not given or undefined", async () => {
    const clock = manualClock();
    const app = await appWith({ ...windowOf(9, clock), status: 420, headers: "draft-6" });
    app.get("/", limited({ limit: 1, window: undefined, key: undefined }), handler);
    await app.inject("/");
    clock.advance(59_000);
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers["ratelimit-policy"], headers["retry-after"]]).toEqual([
      420,
      "1;w=60",
      "1",
    ]);
  });

  it("leaves behind what only made sense with what the route replaced", async () => {
    const app = await appWith({
      limit: 100,
      window: "day",
      timeZone: "Europe/Berlin",
      algorithm: "fixed-window",
      unverifiedCeiling: 100,
    });
    app.get("/duration", limited({ window: "1m" }), handler);
    app.get("/month", limited({ window: "month" }), handler);
    app.get("/bucket", limited({ window: "1m", algorithm: "token-bucket", burst: 2 }), handler);
    expect(await statuses(app, "/duration", "/month", "/bucket")).toEqual([200, 200, 200]);

    const bursting = await appWith({
      limit: 100,
      window: "1m",
      algorithm: "token-bucket",
      burst: 50,
    });
    bursting.get("/strict", limited({ limit: 1 }), handler);
    bursting.get("/cheap", limited({ cost: 2 }), handler);
    bursting.get("/same", limited({ algorithm: "token-bucket" }), handler);
    expect(await statuses(bursting, "/strict", "/strict")).toEqual([200, 429]);
    expect(await remaining(bursting, "/same", "/cheap")).toEqual([99, 48]);

    const counting = await appWith({ limit: 2, window: "1m", count: "failed" });
    counting.get("/refunding", limited({ refund: "successful" }), handler);
    expect(await statuses(counting, ...Array(3).fill("/refunding"))).toEqual([200, 200, 200]);
  });

  it("takes several policies, which inherit what policies share", async () => {
    const app = await appWith(windowOf(9));
    const policies = [
      { name: "second", limit: 1, window: "1s" },
      { name: "hour", limit: 5, window: "1h" },
    ] as const;
    app.get("/", limited({ policies, headers: "draft-8" }), handler);
    const { headers } = await app.inject("/");
    expect(headers["ratelimit-policy"]).toBe('"second";q=1;w=1, "hour";q=5;w=3600');
    expect(await statuses(app, "/")).toEqual([429]);
  });

  it("lets a route below a plugin with several policies have one of its own", async () => {
    const policies = [
      { name: "second", limit: 1, window: "1s" },
      { name: "hour", limit: 5, window: "1h" },
    ] as const;
    const app = await appWith({ policies, status: 420, store: windowOf(1).store });
    app.get("/", limited({ limit: 1, window: "1m" }), handler);
    expect(() => app.get("/half", limited({ limit: 1 }), handler)).toThrow(
      /window of GET \/half: expected .* received nothing: no limit or window is inherited, since the plugin has policies/,
    );
    expect(await statuses(app, "/", "/")).toEqual([200, 420]);
  });

  it("belongs to the nearest registration, which alone it replaces, with all around it", async () => {
    const app = await appWith({ ...windowOf(1), name: "outer" });
    app.register((child, _, done) => {
      child.register(rateLimit, { ...windowOf(2), name: "inner", window: "10s" });
      child.get("/own", limited({ limit: 3 }), handler);
      child.get("/plain", handler);
      done();
    });
    expect(await remaining(app, "/own", "/own", "/own")).toEqual([2, 1, 0]);
    expect((await app.inject("/own")).headers["retry-after"]).toBe("10");
    expect(await statuses(app, "/plain", "/plain")).toEqual([200, 429]);
  });

  it.each([true, false])(
    "belongs to a registration that comes after the route, the outer one awaited: %s",
    async (awaited) => {
      const app = Fastify();
      const outer = app.register(rateLimit, {
        rules: [{ name: "outer", limit: 9, window: "1h" }],
        matching: "first",
        store: windowOf(1).store,
      });
      if (awaited) await outer;
      const child: FastifyPluginAsync = async (instance) => {
        instance.get("/own", limited({ limit: 3, name: "inner" }), handler);
        instance.register(async (within) => {
          within.get("/within", limited({ limit: 3, name: "inner" }), handler);
        });
        await instance.register(rateLimit, { ...windowOf(20), window: "10s" });
      };
      app.register(child);
      // The same name with other settings, where the outer registration would have to refuse one of the two.
      app.get("/outer", limited({ limit: 2, window: "1m", name: "inner" }), handler);
      expect(await remaining(app, "/own", "/own", "/within", "/outer")).toEqual([2, 1, 0, 1]);
      expect((await app.inject("/own")).headers["retry-after"]).toBe("10");
    },
  );

  it("is heeded on routes that were declared before the plugin was there", async () => {
    const app = Fastify();
    app.get("/own", limited({ limit: 1 }), handler);
    app.get("/exempt", limited(false), handler);
    app.register(rateLimit, windowOf(2));
    app.get("/after", limited({ limit: 1 }), handler);
    expect(await statuses(app, "/own", "/own", "/after", "/after")).toEqual([200, 429, 200, 429]);
    expect(await statuses(app, "/exempt", "/exempt", "/exempt")).toEqual([200, 200, 200]);
  });

  it("shares the bucket of a pattern between all routes that Fastify makes of it", async () => {
    const app = await appWith(windowOf(9));
    await app.register(
      (child, _, done) => {
        child.get("/", limited({ limit: 2 }), handler);
        done();
      },
      { prefix: "/both" },
    );
    app.route({ method: ["PUT", "POST"], url: "/many", ...limited({ limit: 2 }), handler });
    expect(await statuses(app, "/both", "/both/", "/both")).toEqual([200, 200, 429]);
    const many = (["PUT", "POST", "PUT"] as const).map((method) => ({ method, url: "/many" }));
    expect(await statuses(app, ...many)).toEqual([200, 200, 429]);
  });

  it("tells routes of one pattern apart by their constraints", async () => {
    const app = await appWith(windowOf(9));
    for (const [version, limit] of [
      ["1.0.0", 1],
      ["2.0.0", 2],
    ] as const) {
      app.get("/", { constraints: { version }, ...limited({ limit }) }, handler);
    }
    const ask = (version: string) => ({ url: "/", headers: { "accept-version": version } });
    expect(await statuses(app, ask("1.x"), ask("1.0.0"))).toEqual([200, 429]);
    expect(await statuses(app, ask("2.x"), ask("2.x"), ask("2.0.0"))).toEqual([200, 200, 429]);
  });

  it("tells them apart also where the registration is not awaited", async () => {
    const app = Fastify();
    const codes: string[] = [];
    app.register(rateLimit, { ...windowOf(9), onWarning: ({ code }) => codes.push(code) });
    for (const [host, limit] of [
      ["a.test", 1],
      ["b.test", 2],
      ["c.test", 2],
    ] as const) {
      app.get("/", { constraints: { host }, ...limited({ limit }) }, handler);
    }
    for (const [version, limit] of [
      ["1.0.0", 1],
      ["2.0.0", 2],
    ] as const) {
      app.get("/v", { constraints: { version }, ...limited({ limit }) }, handler);
    }
    const ask = (host: string) => ({ url: "/", headers: { host } });
    expect(await statuses(app, ask("b.test"), ask("a.test"), ask("b.test"))).toEqual([
      200, 200, 200,
    ]);
    expect(await statuses(app, ask("c.test"), ask("a.test"), ask("b.test"))).toEqual([
      200, 429, 429,
    ]);
    const by = (version: string) => ({ url: "/v", headers: { "accept-version": version } });
    expect(await statuses(app, by("2.0.0"), by("1.0.0"), by("1.0.0"), by("2.x"))).toEqual([
      200, 200, 429, 200,
    ]);
    expect(codes).toEqual(["SPILLWAY_EARLY_ROUTES"]);
  });

  it("lets no warning that fails reach a request", async () => {
    for (const onWarning of [
      () => {
        throw new Error("mine");
      },
      () => Promise.reject(new Error("mine")),
    ]) {
      const app = Fastify();
      const errors: unknown[] = [];
      const onError = (error: unknown) => errors.push((error as Error).message);
      app.register(rateLimit, { ...windowOf(9), onWarning, onError });
      for (const [host, limit] of [
        ["a.test", 1],
        ["b.test", 2],
      ] as const) {
        app.get("/", { constraints: { host }, ...limited({ limit }) }, handler);
      }
      const ask = (host: string) => ({ url: "/", headers: { host } });
      expect(await statuses(app, ask("a.test"), ask("b.test"))).toEqual([200, 200]);
      expect(errors).toContain("mine");
    }
  });

  it("counts the HEAD that Fastify adds to the root of a plugin with its GET", async () => {
    for (const awaited of [true, false]) {
      for (const slash of ["both", "no-slash", "slash"] as const) {
        const app = Fastify();
        const registered = app.register(rateLimit, windowOf(9));
        if (awaited) await registered;
        app.register(
          (child, _, done) => {
            child.get("/", { prefixTrailingSlash: slash, ...limited({ limit: 3 }) }, handler);
            done();
          },
          { prefix: "/v1" },
        );
        const url = slash === "no-slash" ? "/v1" : "/v1/";
        const head = { method: "HEAD", url } as const;
        expect(await statuses(app, head, url, url, head, url)).toEqual([200, 200, 200, 429, 429]);
      }
    }
  });

  it("takes what means the same for the same, however it is written", async () => {
    const app = await appWith({ ...windowOf(5), name: "api" });
    const written = [
      { name: "otp", limit: 2, window: "1m", algorithm: "sliding-window" },
      { name: "otp", limit: 2, window: 60_000, algorithm: "sliding-window", segments: 1 },
      { name: "b", limit: 3, window: "60s", algorithm: "token-bucket" },
      { name: "b", limit: 3, window: "1m", algorithm: "token-bucket", burst: 3 },
    ] as const;
    for (const [i, one] of written.entries()) app.get(`/otp/${i}`, limited(one), handler);
    expect(() =>
      app.get("/otp/3", limited({ name: "otp", limit: 2, window: "61s" }), handler),
    ).toThrow('expected what "otp" stands for elsewhere (limit 2, window 60000 ms, ');
    expect(await statuses(app, "/otp/0", "/otp/1", "/otp/0")).toEqual([200, 200, 429]);
  });

  it("names buckets of long and foreign patterns so that two never meet", async () => {
    const app = await appWith(windowOf(9));
    const long = `/${"a".repeat(150)}`;
    app.get(`${long}/b`, limited({ limit: 1 }), handler);
    app.get(`${long}/c`, limited({ limit: 2 }), handler);
    app.get("/größe", limited({ limit: 3 }), handler);
    expect(await remaining(app, `${long}/b`, `${long}/c`, "/gr%C3%B6%C3%9Fe")).toEqual([0, 1, 2]);
  });

  it("keeps away from the bucket that the plugin itself has by a name", async () => {
    const app = await appWith({ ...windowOf(5), name: "api" });
    expect(() => app.get("/", limited({ name: "api", limit: 1 }), handler)).toThrow(
      'config.rateLimit.name of GET /: expected what "api" stands for elsewhere (limit 5,',
    );
  });
});

describe("an override that does not fit", () => {
  const rows: readonly [given: unknown, problem: string][] = [
    [{ limt: 3 }, "config.rateLimit.limt of GET /: expected a known option (did you mean limit?)"],
    [{ limit: "10" }, "config.rateLimit.limit of GET /: expected a whole number"],
    [
      { hook: "preHandler" },
      "config.rateLimit.hook of GET /: expected a known option (the plugin has one for all; for another give this route rateLimit: false and preHandler: limit(options)), received",
    ],
    [
      { afterRouteHooks: true },
      "config.rateLimit.afterRouteHooks of GET /: expected a known option (the plugin has one for all; for another give this route rateLimit: false and preHandler: limit(options)), received true",
    ],
    [{ burst: 5 }, "config.rateLimit.burst of GET /: expected this option only with"],
    [
      true,
      "config.rateLimit of GET /: expected an object of options, or false for no limit, received true",
    ],
    [
      null,
      "config.rateLimit of GET /: expected an object of options, or false for no limit, received null",
    ],
    [
      [],
      "config.rateLimit of GET /: expected an object of options, or false for no limit, received an array of 0",
    ],
  ];

  it.each(rows)("is refused where the route is declared: %j", async (given, problem) => {
    const app = await appWith(windowOf(9));
    expect(() => app.get("/", limited(given as RouteRateLimit), handler)).toThrow(problem);
  });

  it("keeps an application from starting, with the route in the message", async () => {
    const app = Fastify();
    app.register(rateLimit, windowOf(9));
    const child: FastifyPluginAsync = async (instance) => {
      instance.get("/", limited({ limt: 3 } as RouteRateLimit), handler);
    };
    app.register(child);
    await expect(app.ready()).rejects.toThrow("config.rateLimit.limt of GET /: expected a known");
  });

  it("keeps it from starting also where the plugin has no limit to inherit", async () => {
    const app = Fastify();
    const rules = [{ name: "r", limit: 9, window: "1m" }] as const;
    await app.register(rateLimit, { rules, matching: "first" });
    const child: FastifyPluginAsync = async (instance) => {
      instance.get("/x", limited({ limit: 3 }), handler);
    };
    app.register(child);
    await expect(app.inject("/x")).rejects.toThrow(
      /^config\.rateLimit\.window of GET \/x: expected .* since the plugin has rules$/,
    );
  });

  it("fails the requests of a route that was declared too early to be checked", async () => {
    const app = Fastify();
    app.get("/", limited({ key: ip(), limt: 3 } as RouteRateLimit), handler);
    app.register(rateLimit, windowOf(9));
    const { statusCode, json } = await app.inject("/");
    expect([statusCode, json().code]).toEqual([500, "ERR_INVALID_CONFIG"]);
  });
});
