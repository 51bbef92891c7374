import { describe, expect, it } from "vitest";
import { ip, jwtClaim, rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";

describe.each(majors)("$name", ({ express }) => {
  it.each([
    ["req.auth", { auth: { sub: "ada" } }],
    ["req.user", { user: { sub: "ada" } }],
    ["req.auth before req.user", { auth: { sub: "ada" }, user: { sub: "bob" } }],
    ["req.auth.payload", { auth: { header: {}, payload: { sub: "ada" }, token: "a.b.c" } }],
  ])("counts by the claims that authentication left at %s", async (_, left) => {
    const app = express();
    app.use((req, _res, next) => {
      Object.assign(req, left);
      next();
    });
    app.use(
      rateLimit({ limit: 9, window: "1m", key: [jwtClaim("sub"), ip()] }),
      (req, res) => void res.send(req.rateLimit?.key),
    );
    expect((await ask(app)).text).toBe("claim:sub:ada");
  });
});
