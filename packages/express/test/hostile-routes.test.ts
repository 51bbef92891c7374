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

  it("has a bucket for each method that a route names, and one for the rest", async () => {
    const app = express();
    const limit = perMinute(1, { key: join(route(), ip()) });
    app.route("/x").all(limit).get(ok).post(ok).all(ok);
    expect(await statuses(app, asks)).toEqual([200, 429, 200, 200, 429, 429, 429]);
  });
});
