import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { limit } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

describe("a request checked in a handler", () => {
  it("is refused by that, with the headers of a refusal", async () => {
    const app = Fastify();
    const strict = limit(windowOf(1));
    app.get("/", async (request, reply) => {
      const { allowed, retryAfter } = await strict.check(request, reply);
      return allowed ? "found" : reply.code(429).send({ mine: retryAfter });
    });
    const first = await app.inject("/");
    expect([first.statusCode, first.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
    const second = await app.inject("/");
    expect([second.statusCode, second.json()]).toEqual([429, { mine: 60_000 }]);
    expect(second.headers).toMatchObject({ "retry-after": "60", "cache-control": "no-store" });
  });

  it("has no headers of the limit without its reply", async () => {
    const app = Fastify();
    const strict = limit(windowOf(1));
    app.get("/", async (request) => (await strict.check(request)).allowed);
    for (const allowed of ["true", "false"]) {
      const { headers, body } = await app.inject("/");
      expect(body).toBe(allowed);
      expect(headers).not.toHaveProperty("x-ratelimit-remaining");
      expect(headers).not.toHaveProperty("retry-after");
    }
  });

  it("counts beside the plugin, in whose place its decision is", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), name: "all" });
    const strict = limit({ ...windowOf(2), name: "strict" });
    app.get("/", async (request, reply) => {
      const { policy } = request.rateLimit!;
      await strict.check(request, reply);
      return [policy, request.rateLimit!.policy, request.rateLimit!.remaining];
    });
    const answer = await app.inject("/");
    expect(answer.json()).toEqual(["all", "strict", 1]);
    expect(answer.headers["x-ratelimit-remaining"]).toBe("1");
  });

  it("is the one that its hook charged", async () => {
    const app = Fastify();
    const strict = limit(windowOf(2));
    app.get("/", { onRequest: strict }, async (request, reply) => {
      return (await strict.check(request, reply)) === request.rateLimit;
    });
    expect((await app.inject("/")).body).toBe("true");
    expect(await statuses(app, "/", "/")).toEqual([200, 429]);
  });

  it.each(["user:42", null, undefined, {}])("is a request: %j is not", async (given) => {
    await expect(limit(windowOf(1)).check(given as never)).rejects.toThrow(
      "limit.check(request): expected a request of Fastify (a key: limit.limiter.check(key)), received",
    );
  });
});
