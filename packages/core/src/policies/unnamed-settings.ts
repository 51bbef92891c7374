import type { PolicyOptions } from "../options/policy-options.ts";
import type { CalendarUnit } from "./calendar.ts";
import { readWindow } from "./window.ts";

/** Returns a string of the settings that distinguish policies without a name. */
export function settingsFingerprint({
  limit,
  window,
  timeZone = "UTC",
  tiers,
}: PolicyOptions<never>): string {
  const length = lengthOf(window);
  const zone = typeof length === "number" || length === "f" ? "" : ` ${timeZone}`;
  return `${unitsOf(limit)}/${length}${zone}${tiers ? ` ${tiersIn(tiers)}` : ""}`;
}

function tiersIn(tiers: NonNullable<PolicyOptions<never>["tiers"]>): string {
  const told = Object.entries(tiers)
    .map(([name, { limit, burst, window }]) => {
      const length = window === undefined ? undefined : lengthOf(window);
      return [name, { limit: unitsOf(limit), burst: unitsOf(burst), window: length }] as const;
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(told));
}

/** Returns a number unchanged, and `"f"` for a function. */
function unitsOf<T>(units: T): T | "f" {
  return typeof units === "function" ? "f" : units;
}

function lengthOf(window: PolicyOptions<never>["window"]): number | CalendarUnit | "f" {
  return typeof window === "function" ? "f" : readWindow(window)!;
}

/** Returns the warning about two unnamed policies that count together, from the settings of both. */
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
