import type { Decision } from "../decision.ts";

/** How many refused keys are remembered; past that the oldest is forgotten, and may be told of again. */
const maxRemembered = 10_000;

/**
 * Makes a function that is true for the first refusal of a key, and then not again until the key
 * would be as good as never used.
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
