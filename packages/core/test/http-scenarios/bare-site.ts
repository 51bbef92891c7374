import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import type { HttpOptions } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { type Plan, type Site, siteOf } from "../../src/testing/http/site.ts";
import { type ManualClock, manualClock } from "../../src/testing/index.ts";
import { serveBare } from "./bare-server.ts";

export type Options = HttpOptions<IncomingMessage>;

/** The scenarios' default window: it starts with a key's first request. */
export const minute = {
  window: "1m",
  algorithm: "fixed-window",
  align: "first-request",
} as const;

export const clock: ManualClock = manualClock();

/** Serves limiters on Node's own server until the test ends, with a clock that stands still. */
export async function bareSite(
  limits: Options | readonly Options[],
  plan: Omit<Plan, "limits"> = {},
): Promise<Site> {
  const common = { store: memoryStore({ clock }), onWarning: () => {} };
  const all = ([limits].flat() as Options[]).map((options) => ({ ...common, ...options }));
  const site = await siteOf({ ...plan, limits: all }, serveBare, "memory");
  onTestFinished(() => site.close());
  return site;
}
