import { type Awaitable, settled } from "../awaitable.ts";
import type { Decider } from "../decider.ts";
import type { Decision } from "../decision.ts";
import type { Charge } from "../store.ts";

/**
 * Charges a request if it fits. While it is open whether one that does not fit is refused, nothing counts that as a
 * refusal: where a policy would, it is looked at first.
 */
export function askGently(
  decider: Decider,
  charges: readonly Charge[],
  req: unknown,
): Awaitable<Decision> {
  if (!countsRefusals(charges)) return decider.ask(charges, req);
  return settled(decider.decide(charges, false, req), (seen) =>
    seen.allowed && seen.reason !== "store-unavailable" ? decider.ask(charges, req) : seen,
  );
}

/** Has a refusal counted that was only looked at. It may fit by now. */
export function refuseNow(
  decider: Decider,
  charges: readonly Charge[],
  seen: Decision,
  req: unknown,
): Awaitable<Decision> {
  const open = seen.reason !== "store-unavailable" && countsRefusals(charges);
  return open ? decider.ask(charges, req) : seen;
}

function countsRefusals(charges: readonly Charge[]): boolean {
  return charges.some(({ policy }) => policy.countRefused || policy.ban !== undefined);
}
