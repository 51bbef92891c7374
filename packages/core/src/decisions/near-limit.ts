import type { Decision, PolicyStatus } from "../decision.ts";
import { policiesBehind } from "./decision-record.ts";

/** The default part of a limit that counts as near. */
export const defaultNearLimit = 0.8;

/**
 * Returns the first policy of an allowed decision in which this request took the key's use to that part of the limit or
 * past it, from below. For a bucket, the part of what fits at once.
 */
export function nearIn(decision: Decision, ratio: number): PolicyStatus | undefined {
  const policies = policiesBehind(decision);
  return decision.statuses.find(({ allowed, cost, limit, remaining }, i) => {
    const most = Math.min(limit, policies[i]?.maxCost ?? 0);
    if (!allowed || cost === 0 || most === 0) return false;
    const used = most - remaining;
    // In floats 0.07 × 100 is more than 7.
    const near = Math.max(1, Math.ceil(ratio * most * (1 - 1e-12)));
    return used >= near && used - cost < near;
  });
}
