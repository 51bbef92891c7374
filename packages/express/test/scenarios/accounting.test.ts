import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Express, Request, Response } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { keyOf } from "../../src/index.ts";
import { ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { perMinute } from "../minute.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: Request, res: Response): void => void res.send("ok");

  /** Serves over real sockets until the test ends. */
  async function listening(app: Express): Promise<number> {
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  it("B47: tells its headers in the first flush of a stream, and takes its closing for no failure", async () => {
    const app = express();
    const closed: Promise<unknown>[] = [];
    app.get("/events", perMinute(2, { refund: "failed" }), (_req, res) => {
      closed.push(once(res, "close"));
      res.writeHead(200, { "Content-Type": "text/event-stream" });
      res.flushHeaders();
      res.write("data: 1\n\n");
    });
    const port = await listening(app);
    const open = async () => {
      const asked = request({ port, path: "/events", agent: false })
        .on("error", () => {})
        .end();
      const [answer] = await once(asked, "response");
      answer.on("error", () => {});
      return { asked, answer };
    };
    const [first, second] = [await open(), await open()];
    expect([first.answer, second.answer].map((a) => a.headers["x-ratelimit-remaining"])).toEqual([
      "1",
      "0",
    ]);
    await once(first.answer, "data");
    first.asked.destroy();
    await closed[0];
    const third = await open();
    expect(third.answer.statusCode).toBe(429);
    third.answer.resume();
    second.asked.destroy();
    await closed[1];
  });

  describe("B71", () => {
    /** Adds a route that responds only when told to, and reports each request that reached it. */
    const slow = (app: Express): (() => Promise<Response>) => {
      const entered: ((res: Response) => void)[] = [];
      app.get("/slow", (_req, res) => entered.shift()?.(res));
      return () => new Promise((resolve) => entered.push(resolve));
    };

    it.each([
      ["undoes no charge without a refund", undefined, 2, [429]],
      ["is a failure with one", "failed", 5, [200, 200, 429]],
    ] as const)("an abort %s", async (_, refund, aborts, expected) => {
      const limit = perMinute(2, { refund });
      const app = express().use(limit);
      const enter = slow(app);
      app.get("/", ok);
      const port = await listening(app);
      for (let i = 0; i < aborts; i++) {
        const entering = enter();
        const asked = request({ port, path: "/slow", agent: false })
          .on("error", () => {})
          .end();
        const res = await entering;
        const left = once(res, "close");
        asked.destroy();
        await left;
        // A late handler does no harm, and refunds nothing twice.
        res.end("late");
        expect((await limit.limiter.peek(keyOf.ip("127.0.0.1"))).remaining).toBe(
          refund ? 2 : 1 - i,
        );
      }
      expect(
        await statuses(
          app,
          expected.map(() => "/"),
        ),
      ).toEqual(expected);
    });

    it("leaves no listener on a connection that is kept alive", async () => {
      const counts = new Set<number>();
      const app = express().use(perMinute(2000, { refund: "failed" }), (req, res) => {
        const names = ["close", "end", "error", "data", "drain"];
        counts.add(names.reduce((sum, name) => sum + req.socket.listenerCount(name), 0));
        res.status(counts.size > 9 ? 500 : 200).send("ok");
      });
      const port = await listening(app);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      for (let i = 0; i < 300; i++) {
        const [answer] = await once(request({ port, agent }).end(), "response");
        answer.resume();
        await once(answer, "end");
      }
      expect(counts.size).toBe(1);
    }, 20_000);
  });

  describe("B120", () => {
    const store = { take: () => Promise.reject(new Error("down")), give() {}, reset() {} };

    it("runs the handler once for each request that a failing store lets pass", async () => {
      let calls = 0;
      const app = express().use(perMinute(1, { store, onError: () => {} }), (_req, res) => {
        calls++;
        res.send("ok");
      });
      expect(await statuses(app, Array<string>(10).fill("/"))).toEqual(Array(10).fill(200));
      expect(calls).toBe(10);
    });

    it("takes what a handler throws for the handler's, and passes it on once", async () => {
      const reported: unknown[] = [];
      const errors: unknown[] = [];
      const onError = (error: unknown): number => reported.push((error as Error).message);
      for (const [name, of] of [
        ["failing", { store, onError }],
        ["working", { onError }],
      ] as const) {
        let calls = 0;
        const app = express();
        app.use(perMinute(1, of), () => {
          calls++;
          throw new Error(`the handler's, ${name}`);
        });
        app.use((error: Error, _req: Request, res: Response, _next: unknown) => {
          errors.push(error.message);
          res.status(418).end();
        });
        expect((await ask(app)).status).toBe(418);
        expect(calls).toBe(1);
      }
      expect(errors).toEqual(["the handler's, failing", "the handler's, working"]);
      expect(reported).toEqual(["The store could not answer"]);
    });
  });
});
