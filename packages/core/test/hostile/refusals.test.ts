import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { admitUpgrade, createGuard, type HttpOptions, sendRefusal } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { listen } from "./listen.ts";

const failing = {
  ...memoryStore(),
  take: (): never => {
    throw new Error("down");
  },
};

describe("a refusal", () => {
  it.each<[string, number, Partial<HttpOptions<BareRequest>>]>([
    ["that no wait can help", 429, { cost: 6 }],
    ["after a failure of the store", 503, { store: failing, onStoreError: "closed" }],
  ])("%s tells no wait that somebody else had set", async (_, status, given) => {
    const guard = createGuard(bareFramework(), {
      limit: 5,
      window: "1m",
      onError: () => {},
      ...given,
    } as HttpOptions<BareRequest>);
    const site = await listen(async (req, res) => {
      res.setHeader("Retry-After", "9");
      const verdict = await guard.admit(req);
      if (verdict.kind === "refuse") return sendRefusal(res, verdict);
      res.end();
    });
    const answer = await site.get();
    expect([answer.status, answer.headers["retry-after"]]).toEqual([status, undefined]);
  });

  it("leaves the wait of an answer that it does not refuse alone", async () => {
    const guard = createGuard(bareFramework(), { limit: 5, window: "1m" });
    const site = await listen(async (req, res) => {
      res.setHeader("Retry-After", "9");
      await guard.admit(req);
      res.writeHead(503).end();
    });
    expect((await site.get()).headers["retry-after"]).toBe("9");
  });
});

describe("a handshake of which no request can be made", () => {
  it("is answered with 500, told to onError, and rejects nothing", async () => {
    const errors: unknown[] = [];
    const guard = createGuard(bareFramework(), {
      limit: 5,
      window: "1m",
      store: memoryStore({ clock: manualClock() }),
      onError: (error) => errors.push(error),
    });
    const socket = new PassThrough();
    const error = new Error("no request");
    const of = (): never => {
      throw error;
    };
    expect(await admitUpgrade(guard, {} as BareRequest, socket, of)).toBe(false);
    expect(errors).toEqual([error]);
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 500 /);
  });
});
