import type { Decision, PolicyStatus, Reason } from "../decision.ts";
import { DecisionRecord, sealed } from "./decision-record.ts";

/** Returns the decision on a request without a limit; `detail` comes from the list that exempts it. */
export function skippedDecision(policy: string, limit: number, detail?: string): Decision {
  return decided(true, "skipped", { policy, key: "", limit }, 0, detail);
}

/** Returns the decision on a request that a list denies by a key, with the list's detail. */
export function deniedDecision(key: string, detail: string | undefined): Decision {
  return decided(false, "blocked", { policy: "", key, limit: 0 }, Infinity, detail);
}

/** Returns the decision on a request whose store could not answer, as the policy's `onStoreError` says. */
export function outageDecision(
  onStoreError: "open" | "closed",
  about: Pick<PolicyStatus, "policy" | "key" | "limit">,
): Decision {
  return decided(onStoreError === "open", "store-unavailable", about, 0);
}

function decided(
  allowed: boolean,
  reason: Reason,
  about: Pick<PolicyStatus, "policy" | "key" | "limit">,
  retryAfter: number,
  detail?: string,
): Decision {
  const bound = { ...about, remaining: allowed ? about.limit : 0, resetAfter: 0 };
  const degraded = reason === "store-unavailable";
  const record = new DecisionRecord(
    allowed,
    reason,
    bound,
    retryAfter,
    0,
    none,
    degraded,
    false,
    0,
  );
  if (detail !== undefined) record.detail = detail;
  return sealed(record);
}

const none: readonly PolicyStatus[] = Object.freeze([]);
