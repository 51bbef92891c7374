import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard, type Guard } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { connection, manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { listen } from "./listen.ts";

describe("many who wait for the end of one thing", () => {
  const guardOf = (): Guard<BareRequest> =>
    createGuard(bareFramework(), {
      limit: 100,
      window: "1m",
      refund: "failed",
      store: memoryStore({ clock: manualClock() }),
      onWarning: () => {},
    });

  it("are one listener of a connection, however many requests are pipelined on it", async () => {
    const guard = guardOf();
    const counts: number[] = [];
    let all = () => {};
    const here = new Promise<void>((resolve) => {
      all = resolve;
    });
    const site = await listen(async (req) => {
      await guard.admit(req);
      if (counts.push(req.socket.listenerCount("close")) === 30) all();
    });
    const client = connection(site.server, "192.0.2.1");
    onTestFinished(() => void client.destroy());
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(30));
    await here;
    expect(Math.max(...counts)).toBeLessThan(counts[0]! + 2);
  });

  it("are one listener of an answer, and none when it is over", async () => {
    const guards = Array.from({ length: 12 }, guardOf);
    const counts: number[] = [];
    let over = () => {};
    const closed = new Promise<void>((resolve) => {
      over = resolve;
    });
    const site = await listen(async (req, res) => {
      const before = res.listenerCount("close");
      for (const guard of guards) await guard.admit(req);
      counts.push(res.listenerCount("close") - before);
      res.once("close", () => {
        counts.push(res.listenerCount("close") - before);
        over();
      });
      res.end();
    });
    await site.get();
    await closed;
    expect(counts).toEqual([1, 0]);
  });
});
