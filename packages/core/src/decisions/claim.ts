import type { Decision } from "../decision.ts";
import { partOf, type Receipt } from "../store.ts";
import { receiptOf } from "./decision-record.ts";

/** Which charges of a decision were claimed; only of those that were. */
const claims = new WeakMap<Decision, readonly boolean[]>();

/**
 * Claims what a decision took, or the wanted charges of it, to be given back. Each charge is claimed once, whoever
 * asks: the outcome of a request, or somebody by hand. Undefined where nothing is left.
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
