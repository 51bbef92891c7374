import type { Params } from "./algorithm.ts";
import { blankState } from "./blank-state.ts";
import { received } from "./errors.ts";
import type { Policy } from "./policy.ts";
import type { Charge, Taken } from "./store.ts";
import { isWhole } from "./whole.ts";

/**
 * Throws a `TypeError`, which becomes the cause of a `StoreError`, if a store's result does not match the charges.
 * Arithmetic on it would decide at random, or never end.
 */
export function checkTaken(
  charges: readonly Charge[],
  { now, fits, states, policies }: Taken,
): void {
  if (!isWhole(now)) throw wrong("now", "milliseconds since the epoch", now);
  for (let i = 0; i < charges.length; i++) {
    if (typeof fits[i] !== "boolean") throw wrong(`fits[${i}]`, "true or false", fits[i]);
    const state = states[i];
    const length = reportLength(policies?.[i] ?? charges[i]!.policy, now);
    if (!Array.isArray(state) || state.length !== length || !state.every(isWhole)) {
      throw wrong(`states[${i}]`, `a list of ${length} whole numbers, 0 or more`, state);
    }
  }
}

const lengths = new WeakMap<Params, number>();

/** Returns the length of a policy's reports, which is the same for every state. */
function reportLength({ algorithm, params }: Policy, now: number): number {
  const own = params(now);
  let length = lengths.get(own);
  if (length === undefined) {
    length = algorithm.report(blankState(algorithm, own), 0, 0, own).length;
    lengths.set(own, length);
  }
  return length;
}

function wrong(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(
    `${path} of a store's answer: expected ${expected}, received ${received(value)}`,
  );
}
