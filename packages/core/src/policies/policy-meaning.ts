import { isFunction } from "../options/expecting.ts";
import { belongs, type PolicyOptions, type TierOptions } from "../options/policy-options.ts";
import { isCalendarWindow, readWindow } from "./window.ts";

/** Defaults of options; that of a burst is the limit. */
const defaults: Readonly<Record<string, unknown>> = {
  segments: 1,
  align: "clock",
  timeZone: "UTC",
  delay: true,
};

/**
 * Describes what a policy's counters mean in words: equal for equivalent options, however they are written. Functions
 * cannot be compared, and all count as equal.
 */
export function policyMeaning(policy: PolicyOptions<never>): string {
  const { limit, window, algorithm = "sliding-window", tiers = {} } = policy;
  const given = policy as unknown as Readonly<Record<string, unknown>>;
  const parts = [...sizes({ limit, window }), `algorithm ${algorithm}`];
  for (const [option, owners] of Object.entries(belongs)) {
    if (!owners.includes(algorithm)) continue;
    // Matters for other windows only if a function may return a calendar unit.
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
