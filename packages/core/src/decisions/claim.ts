import type { Decision } from "../decision.ts";
import { partOf, type Receipt } from "../store.ts";
import { receiptOf } from "./decision-record.ts";

/** Which charges of a decision are claimed; only of decisions with claims. */
const claims = new WeakMap<Decision, readonly boolean[]>();

/**
 * Claims all charges of a decision, or the wanted ones, for a refund. Each is claimed once, by the outcome of a request
 * or by hand. Undefined when none is left.
 */
export function claim(decision: Decision, wanted?: readonly boolean[]): Receipt | undefined {
  const receipt = receiptOf(decision);
  if (!receipt) return undefined;
  const before = claims.get(decision) ?? [];
  const part = receipt.charges.map((_, i) => before[i] !== true && (wanted ? wanted[i]! : true));
  if (!part.includes(true)) return undefined;
  claims.set(
    decision,
    part.map((now, i) => now || before[i] === true),
  );
  return partOf(receipt, part);
}
