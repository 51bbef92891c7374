import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { spellingsOf } from "../../core/test/spellings.ts";
import { rateLimit } from "../src/index.ts";
import { withRouter } from "./router-options.ts";

/** Patterns, and a path for each. */
const routes = [
  ["/", "/"],
  ["/login", "/login"],
  ["/Users/Me", "/Users/Me"],
  ["/users/:id", "/users/42"],
  ["/users/:id/posts/:post", "/users/42/posts/7"],
  ["/files/*", "/files/a/b"],
  ["/caf%C3%A9/menu", "/caf%25C3%25A9/menu"],
  ["/café/menu", "/caf%C3%A9/menu"],
  ["/a.b-c~d/e;f=g", "/a.b-c~d/e;f=g"],
  ["/:tenant/report", "/acme/report"],
  ["/*", "/anything/else"],
] as const;

const applications: readonly [string, FastifyServerOptions][] = [
  ["as it comes", {}],
  ["that folds case", withRouter({ caseSensitive: false })],
  ["that ignores slashes", withRouter({ ignoreTrailingSlash: true, ignoreDuplicateSlashes: true })],
  ["that ignores double slashes only", withRouter({ ignoreDuplicateSlashes: true })],
  [
    "with semicolons for a query",
    withRouter({ ignoreTrailingSlash: true }, { useSemicolonDelimiter: true }),
  ],
  ["that rewrites", { rewriteUrl: ({ url = "/" }) => url.replace("/v1/", "/") }],
];

describe.each(applications)(
  "matches all that reaches a route of an application %s",
  (_, options) => {
    const semicolons = options.useSemicolonDelimiter === true;

    it.each(routes.filter(([pattern]) => !(semicolons && pattern.includes(";"))))(
      "for %s",
      async (pattern, path) => {
        const rules = [{ name: "the rule", match: pattern, limit: 1e6, window: "1d" }] as const;
        const app = Fastify({ ...options });
        await app.register(rateLimit, { matching: "first", rules, onWarning: () => {} });
        const reached: string[] = [];
        const missed: string[] = [];
        app.get(pattern, (request, reply) => {
          reached.push(request.originalUrl);
          if (request.rateLimit?.policy !== "the rule") missed.push(request.originalUrl);
          reply.send("ok");
        });
        await ask(app, [...spellingsOf(path), path.replace("42", "")]);
        if (options.rewriteUrl) await ask(app, spellingsOf(`/v1${path}`));
        expect(missed).toEqual([]);
        expect(reached.length).toBeGreaterThan(4);
        expect(reached).toContain(`http://host${path}`);
        if (pattern === "/users/:id/posts/:post" && Object.keys(options).length === 0) {
          expect(reached).toContain("/users//posts/7");
        }
      },
    );
  },
);

it("B24 to B26: has one bucket for the spellings of a rule's path", async () => {
  const rules = [{ name: "login", match: "POST /login", limit: 2, window: "1m" }] as const;
  const app = Fastify(withRouter({ caseSensitive: false, ignoreTrailingSlash: true }));
  await app.register(rateLimit, { matching: "first", rules });
  app.post("/login", async () => "ok");
  const statuses: number[] = [];
  for (const url of ["/login", "/LOGIN", "/login/", "/login?x=1", "/%6Cogin", "/other"]) {
    statuses.push((await app.inject({ method: "POST", url })).statusCode);
  }
  expect(statuses).toEqual([200, 200, 429, 429, 429, 404]);
});

it("B32: counts HEAD of a route with its GET", async () => {
  const rules = [{ name: "read", match: "GET /x", limit: 10, window: "1m" }] as const;
  const app = Fastify();
  await app.register(rateLimit, { matching: "first", rules });
  app.get("/x", async () => "ok");
  const left: unknown[] = [];
  for (const method of ["GET", "HEAD", "GET"] as const) {
    left.push((await app.inject({ method, url: "/x" })).headers["x-ratelimit-remaining"]);
  }
  expect(left).toEqual(["9", "8", "7"]);
});

/** Sends what no client library would. */
async function ask(app: FastifyInstance, urls: readonly string[]): Promise<void> {
  await app.ready();
  for (const url of urls) {
    const req = new IncomingMessage(new Socket());
    req.url = url;
    req.method = "GET";
    app.routing(req, new ServerResponse(req));
  }
}
