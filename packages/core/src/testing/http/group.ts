import type { IncomingMessage } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import { memoryStore } from "../../memory-store.ts";
import type { Store } from "../../store.ts";
import { assert } from "../assert.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import type { DefineTest } from "../store-suite.ts";
import type { Serve } from "./app.ts";
import { type Plan, type Site, siteOf } from "./site.ts";
import type { TransportName } from "./transport.ts";

/** The tools of a test in the suite. */
export interface Tools {
  readonly clock: ManualClock;
  /** A store on that clock, shared by all limiters of the test without their own. */
  readonly store: Store;
  /** Codes of the warnings so far. */
  readonly warnings: readonly string[];
  readonly over: TransportName;
  /** The key of a client without any identification. */
  readonly self: string;
  /** Serves limiters, with a route `GET /` by default; closed after the test. */
  serve(
    limits: HttpOptions<IncomingMessage> | readonly HttpOptions<IncomingMessage>[],
    plan?: Omit<Plan, "limits">,
  ): Promise<Site>;
}

/** Defines one test of the suite. */
export type Define = (name: string, run: (tools: Tools) => Promise<void>) => void;

/** Returns the function that defines tests for one framework. */
export function definer(it: DefineTest, serve: Serve, over: TransportName): Define {
  return (name, run) => void it(name, () => withTools(serve, over, run));
}

async function withTools(
  serve: Serve,
  over: TransportName,
  run: (tools: Tools) => Promise<void>,
): Promise<void> {
  const sites: Site[] = [];
  const stray: unknown[] = [];
  const warnings: string[] = [];
  const clock = manualClock();
  const store = memoryStore({ clock });
  const note = (reason: unknown): void => void stray.push(reason);
  const common = { store, onWarning: ({ code }: { code: string }) => void warnings.push(code) };
  process.on("unhandledRejection", note);
  try {
    await run({
      clock,
      store,
      warnings,
      over,
      self: over === "unix" ? "ip:none" : "ip:127.0.0.1",
      async serve(limits, plan = {}) {
        const all = [limits].flat() as HttpOptions<IncomingMessage>[];
        const site = await siteOf(
          { ...plan, limits: all.map((options) => ({ ...common, ...options })) },
          serve,
          over,
        );
        sites.push(site);
        return site;
      },
    });
  } finally {
    for (const site of sites) await site.close();
    // Unhandled rejections are reported at the end of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
  }
  assert.deepEqual(stray, [], "promises that nobody handled");
}
