import type { Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";
import { type Charge, counterOf, isCharged, makesKey, passes, type Taken } from "../store.ts";

/** A request's changes to one key. */
export interface Draft {
  readonly key: string;
  /** What to store. */
  readonly kept: number[];
  /** The state after the charges so far, whether kept or not. */
  left: number[];
  /** The last policy that wrote; undefined when none did. */
  writer: Policy | undefined;
  /** Whether to store a key never seen. */
  counts: boolean;
}

/**
 * Decides charges of which several may share a key: each sees the state left by those before it. Returns the result and
 * what to store. When refused, each charge keeps only what it changed itself, a counted refusal for example, not what
 * an earlier charge would have left.
 */
export function drafted(
  charges: readonly Charge[],
  keep: boolean,
  now: number,
  slotsOf: (charge: Charge) => Slots,
): { readonly taken: Taken; readonly drafts: Iterable<Draft> } {
  const drafts = new Map<string, Draft>();
  const tried = charges.map((charge) => {
    const { policy, cost } = charge;
    const name = counterOf(charge);
    const known = drafts.get(name);
    const draft = known ?? draftOf(charge.key, slotsOf(charge));
    drafts.set(name, draft);
    const before = draft.left;
    draft.left = [...before];
    const fit = policy.algorithm.take(draft.left, now, cost, policy.params(now));
    return { draft, again: known !== undefined, before, after: draft.left, fit };
  });
  const fits = tried.map(({ fit }) => fit);
  const pass = passes(charges, fits);
  const states = charges.map(({ policy, cost }, i) => {
    const { draft, again, before, after, fit } = tried[i]!;
    const { algorithm } = policy;
    const params = policy.params(now);
    const written = keep && isCharged(policy, cost, fit, pass);
    if (!written) return algorithm.report(before, now, cost, params);
    // The charge that recorded the clock stepping back may not be kept.
    if (again && !fit) algorithm.mark(draft.kept, now, params);
    for (let j = 0; j < after.length; j++) if (after[j] !== before[j]) draft.kept[j] = after[j]!;
    draft.writer = policy;
    if (makesKey(policy, fit)) draft.counts = true;
    return algorithm.report(after, now, cost, params);
  });
  return { taken: { now, fits, states }, drafts: drafts.values() };
}

function draftOf(key: string, slots: Slots): Draft {
  return { key, kept: [...slots], left: [...slots], writer: undefined, counts: false };
}
