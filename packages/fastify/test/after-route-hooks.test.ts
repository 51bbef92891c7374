import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { type FastifyRateLimitOptions, ip, keyOf, user } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { type Window, windowOf } from "./window.ts";

const hooks = ["onRequest", "preValidation", "preHandler"] as const;

const key = [user(), ip()];
const ada = { url: "/", headers: { "x-user": "ada" } };
const keyOfAda = keyOf.user("ada");
const address = keyOf.ip("127.0.0.1");

/** Sets the user, or answers 401. */
async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const id = request.headers["x-user"];
  if (id === undefined) return reply.code(401).send("who are you?");
  Object.assign(request, { user: { id } });
  return undefined;
}

const handler = async ({ rateLimit }: FastifyRequest): Promise<unknown> => ({
  key: rateLimit?.key,
  policy: rateLimit?.policy,
});

function after(limit: number, more: object = {}): FastifyRateLimitOptions & Window {
  return { ...windowOf(limit), key, afterRouteHooks: true, ...more };
}

async function appWith(options: FastifyRateLimitOptions): Promise<FastifyInstance> {
  const app = Fastify();
  app.decorateRequest("user", null);
  await app.register(rateLimit, options);
  return app;
}

async function keyFor(app: FastifyInstance, request: typeof ada | string): Promise<unknown> {
  return (await app.inject(request)).json().key;
}

describe.each(hooks)("with afterRouteHooks, on %s, the plugin", (hook) => {
  it.each([
    ["one", authenticate],
    ["a list", [authenticate]],
  ])("charges the user that a route's own hooks find, as %s", async (_, own) => {
    const app = await appWith(after(2, { hook }));
    app.get("/", { [hook]: own }, handler);
    expect(await keyFor(app, ada)).toBe(keyOfAda);
    expect(await statuses(app, ada, ada)).toEqual([200, 429]);
    expect(await statuses(app, { ...ada, headers: { "x-user": "bob" } })).toEqual([200]);
  });

  it("charges nothing where these hooks answer", async () => {
    const app = await appWith(after(1, { hook }));
    app.get("/", { [hook]: authenticate }, handler);
    expect(await statuses(app, "/", "/", ada, ada, "/")).toEqual([401, 401, 200, 429, 401]);
    expect((await app.inject("/")).headers).not.toHaveProperty("x-ratelimit-limit");
    expect(await app.rateLimit.limiter.peek(address)).toMatchObject({ remaining: 1 });
  });

  it("charges the user that a hook of the instance finds, added after the plugin", async () => {
    const app = await appWith(after(9, { hook }));
    app.get("/", handler);
    app.addHook(hook, authenticate);
    expect(await keyFor(app, ada)).toBe(keyOfAda);
  });

  it("runs last where onRoute hooks registered before it add hooks", async () => {
    const app = Fastify();
    app.addHook("onRoute", (route) => {
      route[hook] = authenticate;
    });
    await app.register(rateLimit, after(9, { hook }));
    app.get("/", handler);
    expect(await keyFor(app, ada)).toBe(keyOfAda);
  });

  it("limits requests that find no route, which share the bucket of the address", async () => {
    const app = await appWith(after(2, { hook }));
    app.get("/", handler);
    app.register(
      (child, _, done) => {
        child.setNotFoundHandler((_, reply) => void reply.code(404).send("not in here"));
        done();
      },
      { prefix: "/child" },
    );
    expect(await statuses(app, "/nope", "/child/nope", "/nope", "/")).toEqual([404, 404, 429, 429]);
  });

  it("limits routes that were declared before it was loaded, before their own hooks", async () => {
    const app = Fastify();
    app.get("/", { [hook]: authenticate }, handler);
    app.get("/own", { config: { rateLimit: { limit: 1 } } }, handler);
    app.register(rateLimit, after(2, { hook }));
    expect(await keyFor(app, ada)).toBe(address);
    expect(await statuses(app, ada, ada, "/own", "/own")).toEqual([200, 429, 200, 429]);
  });

  it("heeds config.rateLimit, in nested instances too", async () => {
    const app = await appWith(after(9, { hook, name: "outer" }));
    app.get("/exempt", { config: { rateLimit: false }, [hook]: authenticate }, handler);
    const own = { config: { rateLimit: { limit: 2 } }, [hook]: authenticate };
    const child: FastifyPluginAsync = async (instance) => void instance.get("/", own, handler);
    await app.register(child, { prefix: "/nested" });
    const exempt = await app.inject({ ...ada, url: "/exempt" });
    expect([exempt.statusCode, exempt.headers["x-ratelimit-limit"]]).toEqual([200, undefined]);
    const nested = { ...ada, url: "/nested" };
    expect((await app.inject(nested)).json()).toEqual({
      key: keyOfAda,
      policy: "GET /nested",
    });
    expect(await statuses(app, { ...nested, url: "/nested/" }, nested)).toEqual([200, 429]);
    expect(await app.rateLimit.limiter.peek(keyOfAda)).toMatchObject({ remaining: 9 });
  });

  it.each<[outer: boolean, inner: boolean, ran: string[]]>([
    [false, false, ["outer", "inner", "own"]],
    [true, false, ["inner", "own", "outer"]],
    [false, true, ["outer", "own", "inner"]],
    [true, true, ["own", "outer", "inner"]],
  ])(
    "applies to one of several registrations, outer and inner: %s, %s",
    async (outer, inner, expected) => {
      const ran: string[] = [];
      const named = (name: string, afterRouteHooks: boolean) =>
        after(9, { hook, afterRouteHooks, name, onDecision: () => ran.push(name) });
      const app = await appWith(named("outer", outer));
      const child: FastifyPluginAsync = async (instance) => {
        await instance.register(rateLimit, named("inner", inner));
        instance.get("/", { [hook]: async () => void ran.push("own") }, handler);
      };
      await app.register(child);
      await app.inject("/");
      expect(ran).toEqual(expected);
    },
  );

  it("charges HEAD as GET, once, with the route's own hooks", async () => {
    const app = await appWith(after(9, { hook }));
    app.get("/", { [hook]: [authenticate] }, handler);
    const own = { config: { rateLimit: { limit: 5 } }, [hook]: [authenticate] };
    app.get("/own", own, handler);
    const head = { ...ada, method: "HEAD" } as const;
    expect(await remaining(app, head, ada, head)).toEqual([8, 7, 6]);
    const [get, ofOwn] = [
      { ...ada, url: "/own" },
      { ...head, url: "/own" },
    ];
    expect(await remaining(app, ofOwn, get, ofOwn)).toEqual([4, 3, 2]);
  });

  it("changes no list of hooks and no config that routes share", async () => {
    class Config {
      get rateLimit() {
        return { limit: 3 };
      }
    }
    const own = Object.freeze([authenticate]) as (typeof authenticate)[];
    const plain = Object.freeze({ mine: true });
    const classy = Object.freeze(new Config());
    const app = await appWith(after(9, { hook }));
    const seen: unknown[] = [];
    for (const url of ["/a", "/b"]) {
      app.get(url, { config: plain, [hook]: own }, async ({ routeOptions: { config } }) => {
        seen.push((config as { mine?: boolean }).mine);
        return "ok";
      });
      app.get(`${url}/own`, { config: classy, [hook]: own }, handler);
    }
    const asked = ["/a", "/b", "/a/own", "/b/own"].map((url) => ({ ...ada, url }));
    expect(await remaining(app, ...asked)).toEqual([8, 7, 2, 2]);
    expect(seen).toEqual([true, true]);
    expect(own).toEqual([authenticate]);
    expect(Reflect.ownKeys(plain)).toEqual(["mine"]);
    expect(Reflect.ownKeys(classy)).toEqual([]);
  });

  it("charges once, and last, where a route is made from another one", async () => {
    const app = await appWith(after(9, { hook }));
    app.addHook("onRoute", (route) => {
      const { method, url, [hook]: own } = route;
      if (method !== "GET" || url !== "/") return;
      const more = [own!, authenticate].flat();
      app.route({ ...route, url: "/made", exposeHeadRoute: false, [hook]: more });
    });
    app.get("/", handler);
    const { headers, json } = await app.inject({ ...ada, url: "/made" });
    expect([json().key, headers["x-ratelimit-remaining"]]).toEqual([keyOfAda, "8"]);
  });

  it("charges once where another plugin wraps the hooks of a route, or replaces its config", async () => {
    const app = await appWith(after(9, { hook }));
    app.addHook("onRoute", (route) => {
      if (route.url === "/replaced") route.config = {};
      const wrapped = [route[hook]!].flat().map(
        (inner) =>
          function (this: FastifyInstance, ...args: unknown[]): unknown {
            return (inner as (...args: unknown[]) => unknown).apply(this, args);
          },
      );
      route[hook] = wrapped as never;
    });
    app.get("/", { [hook]: authenticate }, handler);
    app.get("/replaced", handler);
    expect(await keyFor(app, ada)).toBe(keyOfAda);
    expect(await remaining(app, ada, "/replaced", "/replaced")).toEqual([7, 8, 7]);
  });

  it.each([false, undefined])("runs before a route's own hooks by %s", async (given) => {
    const app = await appWith(after(9, { hook, afterRouteHooks: given }));
    const lists: unknown[] = [];
    app.addHook("onRoute", (route) => void lists.push(route[hook], route.config));
    const own = [authenticate];
    const config = {};
    app.get("/", { exposeHeadRoute: false, config, [hook]: own }, handler);
    expect(await keyFor(app, ada)).toBe(address);
    expect([lists[0] === own, lists[1] === config]).toEqual([true, true]);
  });
});

it("is refused among the plugin's options unless it is true or false", async () => {
  for (const [given, received] of [
    ["true", '"true"'],
    [1, "1"],
    [null, "null"],
  ]) {
    const app = Fastify();
    const registered = app.register(rateLimit, after(1, { afterRouteHooks: given }));
    await expect(registered).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
      issues: [{ path: "afterRouteHooks", expected: "true or false", received }],
    });
  }
});
