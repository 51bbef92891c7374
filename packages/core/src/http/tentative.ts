import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isOutage } from "../decision.ts";
import type { Decider } from "../decisions/decider.ts";
import type { Charge } from "../store.ts";

/**
 * Returns the charges of a request that is not refused for good if it does not fit: no policy counts that as a refusal.
 * The same list if none would.
 */
export function tentative(charges: readonly Charge[]): readonly Charge[] {
  if (!charges.some(counts)) return charges;
  return charges.map((charge) => ({ ...charge, policy: charge.policy.trying() }));
}

/**
 * Records the refusals that a tentative decision left out, now that it is final: all charges if the request is refused
 * (decided again; it may fit by now), only refusing shadow policies' if it passes.
 */
export function recordRefusals(
  decider: Decider,
  charges: readonly Charge[],
  decision: Decision,
  req: unknown,
): Awaitable<Decision> {
  const { allowed, shadowed, statuses } = decision;
  if (isOutage(decision) || !charges.some(counts)) return decision;
  if (!allowed) return decider.decideSilently(charges, req);
  if (!shadowed) return decision;
  const over = charges.filter((charge, i) => counts(charge) && statuses[i]?.allowed === false);
  return over.length === 0 ? decision : settled(decider.decideSilently(over, req), () => decision);
}

function counts({ policy }: Charge): boolean {
  return policy.trying() !== policy;
}
