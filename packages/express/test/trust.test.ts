import { manualClock } from "@spillway/core/testing";
import type { Express } from "express";
import { describe, expect, it } from "vitest";
import { memoryStore, rateLimit } from "../src/index.ts";
import { type Ask, ask } from "./ask.ts";
import { majors } from "./majors.ts";

describe.each(majors)("$name", ({ express }) => {
  const forwarded: Ask = {
    peer: "203.0.113.9",
    headers: { "x-forwarded-for": "198.51.100.1, 198.51.100.2" },
  };

  /** Adds a limiter that responds with the key it counts. */
  function telling(app: Express, codes: string[] = []): Express {
    const limit = rateLimit({
      limit: 99,
      window: "1m",
      store: memoryStore({ clock: manualClock() }),
      onWarning: ({ code }) => codes.push(code),
    });
    return app.use(limit, (req, res) => void res.send(req.rateLimit?.key));
  }

  it.each([
    ["never said", undefined, "ip:203.0.113.9"],
    ["false", false, "ip:203.0.113.9"],
    ["true", true, "ip:198.51.100.1"],
    ["one hop", 1, "ip:198.51.100.2"],
    ["two hops", 2, "ip:198.51.100.1"],
    ["a list", "203.0.113.0/24, 198.51.100.2", "ip:198.51.100.1"],
    ["a list without the peer", "10.0.0.0/8", "ip:203.0.113.9"],
    ["a function", (address: string) => address.startsWith("203."), "ip:198.51.100.2"],
  ])("counts by its own trust: %s", async (_, trust, key) => {
    const app = express();
    if (trust !== undefined) app.set("trust proxy", trust);
    expect((await ask(telling(app), "/", forwarded)).text).toBe(key);
  });

  it("lets a mounted application inherit its parent's trust, at any depth", async () => {
    const [app, middle, inner] = [express(), express(), express()];
    app.set("trust proxy", 1);
    middle.use("/inner", telling(inner));
    app.use("/middle", middle);
    const { text } = await ask(app, "/middle/inner", forwarded);
    expect(text).toBe("ip:198.51.100.2");
  });

  it("lets a mounted application have a trust of its own", async () => {
    const [app, inner] = [express(), express()];
    app.set("trust proxy", 1);
    inner.disable("trust proxy");
    app.use(telling(inner));
    expect((await ask(app, "/", forwarded)).text).toBe("ip:203.0.113.9");
  });

  it("believes nobody's private proxy where trust was switched off", async () => {
    const app = express();
    app.disable("trust proxy");
    const { text } = await ask(telling(app), "/", { ...forwarded, peer: "10.0.0.2" });
    expect(text).toBe("ip:10.0.0.2");
  });

  it("warns once of an inherited trust in everybody", async () => {
    const codes: string[] = [];
    const [app, inner] = [express(), express()];
    app.enable("trust proxy");
    app.use(telling(inner, codes));
    await ask(app, "/", forwarded);
    await ask(app, "/", forwarded);
    expect(codes).toEqual(["SPILLWAY_TRUSTS_EVERYBODY"]);
  });
});
