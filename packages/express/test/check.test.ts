import { describe, expect, it } from "vitest";
import { ask, statuses } from "./ask.ts";
import { majors } from "./majors.ts";
import { perMinute } from "./minute.ts";

describe.each(majors)("a request checked in a handler of $name", ({ express }) => {
  it("is refused by that, with the headers of a refusal", async () => {
    const app = express();
    const limit = perMinute(1);
    app.get("/", async (req, res) => {
      const { allowed, retryAfter } = await limit.check(req);
      if (allowed) res.send("found");
      else res.status(429).json({ mine: retryAfter });
    });
    const first = await ask(app);
    expect([first.status, first.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
    const second = await ask(app);
    expect([second.status, second.json()]).toEqual([429, { mine: 60_000 }]);
    expect(second.lines("retry-after")).toEqual(["60"]);
    expect(second.lines("cache-control")).toEqual(["no-store"]);
  });

  it("is the one that the middleware charged, and has its decision", async () => {
    const app = express();
    const limit = perMinute(2);
    app.use(limit);
    app.get("/", async (req, res) => {
      const before = req.rateLimit;
      const decision = await limit.check(req);
      res.json([decision === before, decision === req.rateLimit, decision.remaining]);
    });
    expect((await ask(app)).json()).toEqual([true, true, 1]);
    expect(await statuses(app, ["/", "/"])).toEqual([200, 429]);
  });

  it("is charged only where the handler checks, and exposes the decision", async () => {
    const app = express();
    const limit = perMinute(1);
    app.get("/", async (req, res) => {
      if (req.query.dear !== undefined) await limit.check(req);
      res.json(req.rateLimit?.allowed ?? "free");
    });
    const told = [];
    for (const path of ["/", "/?dear", "/", "/?dear"]) told.push((await ask(app, path)).json());
    expect(told).toEqual(["free", true, "free", false]);
  });

  it.each(["user:42", null, undefined, {}])("is a request: %j is not", async (given) => {
    await expect(perMinute(1).check(given as never)).rejects.toThrow(
      "limit.check(req): expected a request of Express (a key: limit.limiter.check(key)), received",
    );
  });
});
