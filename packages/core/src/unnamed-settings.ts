import type { PolicyOptions } from "./policy-options.ts";
import { readWindow } from "./window.ts";

/** Writes down what tells policies without a name apart. */
export function settingsOf({
  limit,
  window,
  timeZone = "UTC",
  tiers,
}: PolicyOptions<never>): string {
  const units = typeof limit === "number" ? limit : "f";
  const length = typeof window === "function" ? "f" : readWindow(window)!;
  const zone = typeof length === "number" || typeof window === "function" ? "" : ` ${timeZone}`;
  return `${units}/${length}${zone}${tiers ? ` ${JSON.stringify(tiers)}` : ""}`;
}

/** The warning of two such policies that count together, by the settings of both. */
export function countTogether(own: string, later: string, algorithm: string): string {
  return `Two limiters without a name share one store, and count together though their settings differ: this one has ${inWords(own)}, one made later has ${inWords(later)}, both algorithm ${algorithm}. Give each of them a name, or a store of its own.`;
}

function inWords(settings: string): string {
  const named = (value: string, unit = ""): string =>
    value === "f" ? "by a function" : value + (/\d/.test(value) ? unit : "");
  return settings.replace(
    /^(\w+)\/(\w+)/,
    (_, limit: string, window: string) => `limit ${named(limit)}, window ${named(window, " ms")}`,
  );
}
