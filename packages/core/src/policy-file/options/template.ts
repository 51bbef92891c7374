import type { Decision } from "../../decision.ts";
import { retryAfterSeconds } from "../../http/headers/retry-after.ts";
import { holes } from "../schema/holes.ts";

const hole = new RegExp(`\\{(${holes.join("|")})\\}`, "g");
const whole = new RegExp(`^\\{(${holes.join("|")})\\}$`);

/**
 * Fills a decision's values into the strings of a value; a string that is a single placeholder becomes the value
 * itself.
 */
export function fillTemplate(value: unknown, decision: Decision): unknown {
  if (typeof value === "string") {
    const only = whole.exec(value)?.[1];
    if (only !== undefined) return partOf(decision, only);
    return value.replace(hole, (_, name: string) => String(partOf(decision, name) ?? ""));
  }
  if (Array.isArray(value)) return value.map((inner) => fillTemplate(inner, decision));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fillTemplate(inner, decision)]),
  );
}

/** Null when waiting cannot help. */
function partOf(decision: Decision, name: string): unknown {
  if (name !== "retryAfter") return decision[name as "limit" | "remaining" | "policy"];
  return retryAfterSeconds(decision.retryAfter) ?? null;
}
