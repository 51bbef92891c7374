import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isOutage } from "../decision.ts";
import type { Decider } from "../decisions/decider.ts";
import type { Charge } from "../store.ts";

/**
 * The charges of a request of which it is open what becomes of it where it does not fit: no policy counts that as a
 * refusal. The same list where none would.
 */
export function tentative(charges: readonly Charge[]): readonly Charge[] {
  if (!charges.some(counts)) return charges;
  return charges.map((charge) => ({ ...charge, policy: charge.policy.trying() }));
}

/**
 * What becomes of a request that was tried, now that nothing else does: has its refusals counted, all of them where it
 * is refused, which may fit by now, and those of shadow policies where it passes.
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
