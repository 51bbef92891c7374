import type { Decision } from "../decision.ts";

/** How many refused keys are remembered; beyond that the oldest is forgotten, and may be reported again. */
const maxRemembered = 10_000;

/**
 * Returns a predicate that is true for a key's first refusal, and then not again until the key would be as if never
 * used.
 */
export function firstRefusals(): (decision: Decision) => boolean {
  const quietUntil = new Map<string, number>();
  return ({ policy, key, now, resetAfter }) => {
    const name = `${policy}\n${key}`;
    const until = quietUntil.get(name);
    if (until !== undefined && now < until) return false;
    quietUntil.delete(name);
    if (quietUntil.size >= maxRemembered) quietUntil.delete(quietUntil.keys().next().value!);
    quietUntil.set(name, now + resetAfter);
    return true;
  };
}
