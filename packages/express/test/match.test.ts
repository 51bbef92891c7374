import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { hostSpellingsOf, spellingsOf } from "../../core/test/spellings.ts";
import { type RateLimitMiddleware, rateLimit } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { type Express, majors } from "./majors.ts";

/** Patterns, and a path for each. */
const routes = [
  ["/", "/"],
  ["/login", "/login"],
  ["/Users/Me", "/Users/Me"],
  ["/users/:id", "/users/42"],
  ["/users/:id/posts/:post", "/users/42/posts/7"],
  ["/files/*", "/files/a/b"],
  ["/caf%C3%A9/menu", "/caf%C3%A9/menu"],
  ["/a.b-c~d/e;f=g", "/a.b-c~d/e;f=g"],
  ["/:tenant/report", "/acme/report"],
  ["/*", "/anything/else"],
] as const;

const mounts = [
  ["", ""],
  ["/api", "/api"],
  ["/t/:tenant", "/t/acme"],
] as const;

describe.each(majors)("$name", ({ name, express }) => {
  const native = (pattern: string): string =>
    name === "Express 5" ? pattern.replace("*", "*rest") : pattern;

  function limitOf(pattern: string): RateLimitMiddleware {
    const rules = [{ name: "the rule", match: pattern, limit: 1e6, window: "1d" }] as const;
    return rateLimit({ matching: "first", rules, onWarning: () => {} });
  }

  /** Returns which spellings reach the handler, and which of them the rule does not match. */
  function reach(app: Express, route: Express, path: string, pattern: string): string[][] {
    const reached: string[] = [];
    const missed: string[] = [];
    route.all(native(pattern), (req, res) => {
      reached.push(req.originalUrl);
      if (req.rateLimit?.policy !== "the rule") missed.push(req.originalUrl);
      res.end();
    });
    app.set("env", "test");
    for (const url of spellingsOf(path)) {
      const req = new IncomingMessage(new Socket());
      req.url = url;
      req.method = "GET";
      app(req, new ServerResponse(req));
    }
    return [reached, missed];
  }

  describe.each(mounts)("matches all that reaches a handler under '%s'", (mount, at) => {
    it.each(routes)("for %s", (pattern, path) => {
      const limit = limitOf(mount + pattern);
      const app = express();
      const router = mount === "" ? app : (express.Router() as Express);
      router.use(limit);
      if (router !== app) app.use(mount, router);
      const [reached, missed] = reach(app, router, at + path, pattern);
      expect(missed).toEqual([]);
      expect(reached!.length).toBeGreaterThan(4);
      expect(reached).toContain(`http://host${at}${path}`);
      if (pattern !== "/") expect(reached).toContain(`${at}${path}?x=/1`);
    });

    it.each(routes)("for %s of an application within", (pattern, path) => {
      const inner = express()
        .set("env", "test")
        .use(limitOf(mount + pattern)) as Express;
      const app = express().use(mount === "" ? "/" : mount, inner) as Express;
      const [reached, missed] = reach(app, inner, at + path, pattern);
      expect(missed).toEqual([]);
      expect(reached!.length).toBeGreaterThan(4);
    });
  });

  it("matches all that reaches a host", () => {
    const host = "a.example";
    const rules = [{ name: "the rule", match: { host }, limit: 1e6, window: "1d" }] as const;
    const app = express();
    const reached: string[] = [];
    const missed: string[] = [];
    app.use(rateLimit({ matching: "first", rules, onWarning: () => {} }), (req, res) => {
      if (req.hostname === host) reached.push(req.headers.host!);
      if (req.hostname === host && req.rateLimit?.policy !== "the rule") {
        missed.push(req.headers.host!);
      }
      res.end();
    });
    for (const spelling of hostSpellingsOf(host)) {
      const req = new IncomingMessage(new Socket());
      Object.assign(req, { method: "GET", url: "/", headers: { host: spelling } });
      app(req as never, new ServerResponse(req) as never);
    }
    expect(missed).toEqual([]);
    expect(reached.length).toBeGreaterThan(4);
  });

  it("matches what the application itself has rewritten, by what its router looks for", async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.url = req.url.replace("/v1/", "/");
      next();
    });
    const limit = rateLimit({
      matching: "first",
      rules: [{ name: "login", match: "POST /login", limit: 1, window: "1m" }],
    });
    app.use(limit).post("/login", (_req, res) => void res.send("ok"));
    const asks = ["/v1/login", "/login", "/V1/login"].map(
      (path) => [path, { method: "POST" }] as const,
    );
    expect(await statuses(app, asks)).toEqual([200, 429, 404]);
  });

  it("B24, B25: has one bucket for the spellings of a rule's path", async () => {
    const app = express();
    app.use(
      rateLimit({
        matching: "first",
        rules: [{ name: "login", match: "/login", limit: 2, window: "1m" }],
      }),
    );
    app.get("/login", (_req, res) => void res.send("ok"));
    const paths = ["/login", "/LOGIN", "/login/", "/login?x=1", "/%6Cogin", "//login", "/other"];
    expect(await statuses(app, paths)).toEqual([200, 200, 429, 429, 429, 429, 404]);
  });

  it("B27: has one bucket for a rule, whatever its parameters are", async () => {
    const keys = new Set<string>();
    const app = express();
    app.use(
      rateLimit({
        matching: "first",
        rules: [{ name: "verify", match: "/verify/:code", limit: 3, window: "1m" }],
        onDecision: ({ key }) => keys.add(key),
      }),
    );
    app.get("/verify/:code", (_req, res) => void res.send("ok"));
    const paths = [1, 2, 3, 4].map((code) => `/verify/${code}`);
    expect(await statuses(app, paths)).toEqual([200, 200, 200, 429]);
    expect(keys.size).toBe(1);
  });

  it("B30, B33: counts methods apart, and preflights by no rule that does not name them", async () => {
    const app = express();
    app.use(
      rateLimit({
        matching: "first",
        rules: [
          { name: "read", match: "GET /x", limit: 3, window: "1m" },
          { name: "write", match: "POST /x", limit: 1, window: "1m" },
        ],
      }),
    );
    app.all("/x", (_req, res) => void res.send("ok"));
    const asks = ["GET", "OPTIONS", "HEAD", "OPTIONS", "GET", "POST", "POST", "GET"].map(
      (method) => ["/x", { method }] as const,
    );
    expect(await statuses(app, asks)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  it("B31: sees the method that the router will use", async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.method = String(req.headers["x-http-method-override"] ?? req.method);
      next();
    });
    app.use(
      rateLimit({
        matching: "first",
        rules: [{ name: "delete", match: "DELETE /*", limit: 1, window: "1m" }],
      }),
    );
    app.all("/x", (_req, res) => void res.send("ok"));
    // Express folds the case of a method.
    const overridden = (method: string) => ({
      method: "POST",
      headers: { "x-http-method-override": method },
    });
    const asks = [
      ["/x", overridden("DELETE")],
      ["/x", overridden("DELETE")],
      ["/x", overridden("delete")],
      ["/x", { method: "POST" }],
    ] as const;
    expect(await statuses(app, asks)).toEqual([200, 429, 429, 200]);
  });
});
