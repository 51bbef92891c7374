import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type HttpOptions } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { listen } from "./listen.ts";

const guardOf = (given: Partial<HttpOptions<BareRequest>>): Guard<BareRequest> =>
  createGuard(bareFramework(), {
    limit: 1,
    window: "1m",
    store: memoryStore({ clock: manualClock() }),
    onWarning: () => {},
    ...given,
  } as HttpOptions<BareRequest>);

/** Passes one limiter three times in a request, as when error handling continues to routes that have it too. */
async function meetings(guard: Guard<BareRequest>): Promise<string[]> {
  const site = await listen(async (req, res) => {
    const met: string[] = [];
    for (let i = 0; i < 3; i++) {
      try {
        met.push((await guard.admit(req)).kind);
      } catch (error) {
        met.push((error as Error).message);
      }
    }
    res.end(met.join(" "));
  });
  return [(await site.get()).text, (await site.get()).text];
}

describe("a request that meets its limiter again", () => {
  it.each([
    ["in place", {}],
    ["later", { key: async () => "a" }],
    ["by an error", { throw: true }],
  ])(
    "is refused again where it was refused %s, and pays once where it was not",
    async (_, given) => {
      expect(await meetings(guardOf(given))).toEqual(["pass pass pass", "refuse refuse refuse"]);
    },
  );

  it.each([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("mine");
      },
    ],
  ])("fails again where a function of the options %s", async (_, key) => {
    expect(await meetings(guardOf({ key }))).toEqual(["mine mine mine", "mine mine mine"]);
  });

  it.each([
    ["at once", () => undefined],
    ["later", () => Promise.resolve()],
  ])("passes where a function of the options is what meets it %s", async (_, wait) => {
    const guard: Guard<BareRequest> = guardOf({
      key: async (req) => {
        await wait();
        await guard.admit(req);
        return "a";
      },
    });
    expect(await meetings(guard)).toEqual(["pass pass pass", "refuse refuse refuse"]);
  });
});
