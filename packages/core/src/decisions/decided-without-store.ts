import type { Decision, PolicyStatus, Reason } from "../decision.ts";
import { DecisionRecord, sealed } from "./decision-record.ts";

/** The decision on a request that nothing limits; `detail` is what a list says of it. */
export function skippedDecision(policy: string, limit: number, detail?: string): Decision {
  return decided(true, "skipped", { policy, key: "", limit }, 0, detail);
}

/** The decision on a request that a list denies by a key, and what the list says of it. */
export function deniedDecision(key: string, detail: string | undefined): Decision {
  return decided(false, "blocked", { policy: "", key, limit: 0 }, Infinity, detail);
}

/** The decision on a request whose store could not answer, which passes or not by what the policy says. */
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
