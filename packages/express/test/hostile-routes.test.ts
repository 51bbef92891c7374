import { describe, expect, it } from "vitest";
import { ip, join, route } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { majors } from "./majors.ts";
import { perMinute } from "./minute.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: unknown, res: { send(text: string): unknown }): void => void res.send("ok");
  const asks = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "PROPFIND", "M-SEARCH"].map(
    (method) => ["/x", { method }] as const,
  );

  it.each(["application", "router"])(
    "has one bucket for a route of all methods on an %s",
    async (on) => {
      const app = express();
      const router = on === "router" ? express.Router() : app;
      router.all("/x", perMinute(1, { key: join(route(), ip()) }), ok);
      if (router !== app) app.use(router);
      expect(await statuses(app, asks)).toEqual([200, 429, 429, 429, 429, 429, 429]);
    },
  );

  describe("names the routers above a route", () => {
    const seen: string[] = [];
    const limit = perMinute(1, { key: route(), onDecision: ({ key }) => seen.push(key) });
    const routes = () => express.Router({ mergeParams: true }).get("/verify", limit, ok);
    const named = async (app: ReturnType<typeof express>, ...paths: string[]): Promise<unknown> => {
      seen.length = 0;
      await statuses(app, paths);
      return [...new Set(seen)];
    };

    it.each<[string, string | RegExp]>([
      ["with a parameter", "/t/:id"],
      ["with a parameter and a slash", "/t/:id/"],
      ["with an expression", /^\/t\/[^/]+/i],
    ])("by their patterns, where they are mounted %s", async (_, path) => {
      const app = express();
      app.use(path, routes());
      const paths = ["/t/1/verify", "/t/2/verify", "/T/3/VERIFY/", "/t/%34/verify?x"];
      expect(await named(app, ...paths)).toHaveLength(1);
      expect(seen).toHaveLength(4);
    });

    it("through routers in routers, applications in applications, and both", async () => {
      const app = express();
      const inner = express.Router().use("/items/:item", routes());
      app.use("/teams/:team", inner);
      const mounted = express().use("/u/:user", routes());
      app.use("/sub/:tenant", mounted);
      for (const to of ["/teams/1/items/", "/sub/1/u/"]) {
        const paths = [1, 2, 3].map((i) => `${to.replace("1", String(i))}${i}/verify`);
        expect(await named(app, ...paths)).toHaveLength(1);
      }
    });

    it("apart, where they are mounted under fixed paths, in whatever case", async () => {
      const app = express();
      const shared = routes();
      app.use("/v1.0", shared).use("/V2", shared).use(express.Router().use(shared));
      const mounted = express().use("/in", shared);
      app.use("/app", mounted);
      const paths = ["/v1.0", "/V1.0", "/v2", "/app/in", "/APP/In", ""];
      expect(await named(app, ...paths.map((path) => `${path}/verify`))).toEqual([
        "route:GET /v1.0/verify",
        "route:GET /v2/verify",
        "route:GET /app/in/verify",
        "route:GET /verify",
      ]);
    });

    it("as the client wrote them, where nobody knows the routers", async () => {
      const app = express();
      const hidden = routes();
      app.use("/a", (req, res, next) => hidden(req, res, next));
      expect(await named(app, "/A/verify", "/a/verify")).toEqual(["route:GET /a/verify"]);
    });

    it("though one is mounted within itself", async () => {
      const app = express();
      const within = routes();
      within.use("/more", within);
      app.use("/a", within);
      expect(await named(app, "/a/more/more/verify")).toEqual(["route:GET /a/more/more/verify"]);
    });
  });

  it("has a bucket for each method that a route names, and one for the rest", async () => {
    const app = express();
    const limit = perMinute(1, { key: join(route(), ip()) });
    app.route("/x").all(limit).get(ok).post(ok).all(ok);
    expect(await statuses(app, asks)).toEqual([200, 429, 200, 200, 429, 429, 429]);
  });
});
