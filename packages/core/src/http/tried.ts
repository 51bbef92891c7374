import type { Charge } from "../store.ts";

/**
 * The charges of a request of which it is open what becomes of it where it does not fit: no policy counts that as a
 * refusal. The same list where none would.
 */
export function tried(charges: readonly Charge[]): readonly Charge[] {
  if (!charges.some(({ policy }) => policy.trying() !== policy)) return charges;
  return charges.map((charge) => ({ ...charge, policy: charge.policy.trying() }));
}
