import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import type * as Http from "../../src/http/index.ts";
import { createGuard, sendRefusal } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { type Answered, listen } from "./listen.ts";

const clock = manualClock();

function guardOf(
  given: Partial<Http.HttpOptions<BareRequest>> = {},
  make: typeof createGuard = createGuard,
): Http.Guard<BareRequest> {
  const options = { limit: 100, window: "1m", store: memoryStore({ clock }), onWarning: () => {} };
  return make(bareFramework(), { ...options, ...given } as Http.HttpOptions<BareRequest>);
}

describe("the head of an answer", () => {
  it.each<[string, (res: ServerResponse) => unknown]>([
    ["an object", (res) => res.writeHead(200, { "x-own": "1", "content-type": "text/x" })],
    // What a wrapper that names all three arguments passes on.
    [
      "an object and nothing",
      (res) => res.writeHead(200, { "x-own": "1", "content-type": "text/x" } as never, undefined),
    ],
    [
      "nothing and an object",
      (res) => res.writeHead(200, undefined, { "x-own": "1", "content-type": "text/x" }),
    ],
    [
      "a message and an object",
      (res) => res.writeHead(200, "Fine", { "x-own": "1", "content-type": "text/x" }),
    ],
    [
      "an object that inherits",
      (res) =>
        res.writeHead(200, {
          __proto__: { "content-encoding": "gzip" },
          "x-own": "1",
          "content-type": "text/x",
        } as never),
    ],
    [
      "names and values in turn",
      (res) => res.writeHead(200, ["x-own", "1", "content-type", "text/x"] as never, undefined),
    ],
  ])("keeps what was given to writeHead as %s", async (_, write) => {
    const guard = guardOf();
    const site = await listen(async (req, res) => {
      await guard.admit(req);
      write(res);
      res.end();
    });
    const { headers } = await site.get();
    expect([headers["x-own"], headers["content-type"], headers["x-ratelimit-remaining"]]).toEqual([
      "1",
      "text/x",
      "99",
    ]);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("tells of the tightest limiter, also where another copy of the package made it", async () => {
    vi.resetModules();
    const copy = (await import("../../src/http/index.ts")) as typeof Http;
    expect(copy.createGuard).not.toBe(createGuard);
    const guards = [guardOf({ limit: 100, window: "1h" }), guardOf({ limit: 2 }, copy.createGuard)];
    const site = await listen(async (req, res) => {
      for (const guard of guards) {
        const verdict = await guard.admit(req);
        if (verdict.kind === "refuse") return sendRefusal(res, verdict);
      }
      res.end();
    });
    const told: Answered[] = [await site.get(), await site.get(), await site.get()];
    expect(
      told.map(({ status, headers }) => [
        status,
        headers["x-ratelimit-limit"],
        headers["x-ratelimit-remaining"],
      ]),
    ).toEqual([
      [200, "2", "1"],
      [200, "2", "0"],
      [429, "2", "0"],
    ]);
  });
});

describe("a refund by status", () => {
  it.each<[string, (res: ServerResponse) => void]>([
    ["with headers", (res) => void res.writeHead(200)],
    ["by itself", (res) => void res.write("x")],
    ["before the limiter ran", () => {}],
  ])("goes by the status that was sent %s, whatever was set after", async (when, begin) => {
    const guard = guardOf({ limit: 1, refund: "failed", headers: false });
    const site = await listen(async (req, res) => {
      if (when === "before the limiter ran") res.writeHead(200).flushHeaders();
      const verdict = await guard.admit(req);
      if (verdict.kind === "refuse") return void res.end("refused");
      begin(res);
      res.statusCode = 500;
      res.end("allowed");
    });
    expect([(await site.get()).text, (await site.get()).text]).toEqual([
      expect.stringContaining("allowed"),
      "refused",
    ]);
  });
});
