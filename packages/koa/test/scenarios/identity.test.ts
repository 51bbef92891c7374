import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Context } from "koa";
import { describe, expect, it } from "vitest";
import { ip, rateLimit } from "../../src/index.ts";
import { ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { windowOf } from "../window.ts";

const ok = (ctx: { body: unknown }): void => {
  ctx.body = "ok";
};

describe.each(majors)("$name", ({ Koa }) => {
  it("B11: clients without an address share one bucket, with one warning", async () => {
    const folder = await mkdtemp(join(tmpdir(), "spillway-"));
    const socketPath = join(folder, "socket");
    const warnings: string[] = [];
    const app = new Koa();
    app.use(rateLimit({ ...windowOf(2), onWarning: ({ code }) => void warnings.push(code) }));
    app.use(ok);
    const server = createServer(app.callback());
    await once(server.listen(socketPath), "listening");
    const seen: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const [answer] = await once(request({ socketPath, agent: false }).end(), "response");
      seen.push(answer.resume().statusCode);
    }
    expect(seen).toEqual([200, 200, 429]);
    expect(warnings).toEqual(["SPILLWAY_NO_ADDRESS"]);
    server.close();
    await rm(folder, { recursive: true });
  });

  describe("B21", () => {
    const rotating = ["203.0.113.1", "203.0.113.2", "203.0.113.3"].map((first) => ({
      peer: "192.0.2.9",
      headers: { "x-forwarded-for": `${first}, 198.51.100.7` },
    }));

    it("counts one trusted hop from the right, whatever proxy mode believes", async () => {
      const app = new Koa({ proxy: true });
      app.use(rateLimit({ ...windowOf(2), trustProxy: 1 })).use(ok);
      expect(await statuses(app, ...rotating)).toEqual([200, 200, 429]);
    });

    // The contract accepts the field from private peers without proxy mode too; this peer is public.
    it("takes the socket's address without proxy mode", async () => {
      const app = new Koa();
      app.use(rateLimit({ ...windowOf(2), onWarning: () => {} })).use(ok);
      expect(await statuses(app, ...rotating)).toEqual([200, 200, 429]);
    });

    it("warns where only ctx.ip is asked, which believes any number of hops", async () => {
      const warnings: string[] = [];
      const app = new Koa({ proxy: true });
      app.use(rateLimit({ ...windowOf(2), onWarning: ({ code }) => void warnings.push(code) }));
      app.use(ok);
      expect(await statuses(app, ...rotating)).toEqual([200, 200, 200]);
      expect(warnings).toEqual(["SPILLWAY_TRUSTS_EVERYBODY"]);
    });
  });

  it("B22: a field of the body is no way round the address, and no way to lock an account from afar", async () => {
    const app = new Koa();
    interface Account {
      readonly email: string;
    }
    app.use(async (ctx, next) => {
      ctx.state.account = await json(ctx.req);
      await next();
    });
    const account = (ctx: Context): string => (ctx.state.account as Account).email.toLowerCase();
    const limits = {
      "/password": rateLimit<Context>({ ...windowOf(2), key: ip() }),
      "/login": rateLimit<Context>({
        policies: [
          { name: "address", limit: 2, window: "1m", key: ip() },
          { name: "account", limit: 2, window: "1m", key: account },
        ],
        store: windowOf(0).store,
      }),
    };
    app.use((ctx, next) => limits[ctx.path as keyof typeof limits](ctx, next));
    app.use((ctx) => {
      ctx.status = ctx.path === "/login" ? 401 : 200;
    });
    const post = (path: string, email: string, peer: string) =>
      ({ method: "post", path, peer, body: { email } }) as const;
    const emails = ["a@example.test", "b@example.test", "c@example.test"];
    expect(
      await statuses(app, ...emails.map((email) => post("/password", email, "192.0.2.1"))),
    ).toEqual([200, 200, 429]);
    const peers = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    const logins = peers.map((peer) => post("/login", "A@example.test", peer));
    expect(await statuses(app, ...logins)).toEqual([401, 401, 429]);
    const refused = await ask(app, logins[2]);
    expect(refused.body.policy).toBe("account");
    // The refusal by the account charged the address nothing.
    const other = post("/login", "d@example.test", "192.0.2.3");
    expect(await statuses(app, other, { ...other, body: { email: "e@example.test" } })).toEqual([
      401, 401,
    ]);
  });
});
