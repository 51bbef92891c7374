import { isFunction } from "../options/expecting.ts";
import { belongs, type PolicyOptions, type TierOptions } from "../options/policy-options.ts";
import { isCalendarWindow, readWindow } from "./window.ts";

/** What options are where they are left out; a burst is the limit then. */
const defaults: Readonly<Record<string, unknown>> = {
  segments: 1,
  align: "clock",
  timeZone: "UTC",
  delay: true,
};

/**
 * Tells what a bucket holds by the options of its policy, in words: equal for options that mean the same, however they
 * are written. Functions cannot be compared, and are taken at their word.
 */
export function policyMeaning(policy: PolicyOptions<never>): string {
  const { limit, window, algorithm = "sliding-window", tiers = {} } = policy;
  const given = policy as unknown as Readonly<Record<string, unknown>>;
  const parts = [...sizes({ limit, window }), `algorithm ${algorithm}`];
  for (const [option, owners] of Object.entries(belongs)) {
    if (!owners.includes(algorithm)) continue;
    // Of other windows it says something only where a function may answer one of the calendar.
    if (option === "timeZone" && !given[option] && !isCalendarWindow(window)) continue;
    parts.push(told(option, given[option] ?? defaults[option] ?? limit));
  }
  for (const [name, tier] of Object.entries(tiers))
    parts.push(`tier ${name}: ${sizes(tier).join(" ")}`);
  return parts.join(", ");
}

function sizes({ limit, burst, window }: TierOptions<never>): string[] {
  const length = isFunction(window) ? window : readWindow(window);
  const written = typeof length === "number" ? `${length} ms` : length;
  return Object.entries({ limit, burst, window: written })
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => told(option, value));
}

function told(option: string, value: unknown): string {
  return `${option} ${isFunction(value) ? "a function" : String(value)}`;
}
