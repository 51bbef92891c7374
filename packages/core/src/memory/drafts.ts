import type { Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";
import { type Charge, counterOf, isCharged, makesKey, passes, type Taken } from "../store.ts";

/** What a request makes of one key. */
export interface Draft {
  readonly key: string;
  /** What is to be kept of it. */
  readonly kept: number[];
  /** What the charges so far would leave, whether they are kept or not. */
  left: number[];
  /** Who wrote last; undefined where nothing was. */
  writer: Policy | undefined;
  /** Whether there is something to keep of a key never seen. */
  counts: boolean;
}

/**
 * Takes charges of which several may be of one key: each upon what those before it left. Answers what is told of them,
 * and what has to be kept. A refused request keeps of each charge what that one changed, a counted refusal, say, and
 * not what a charge before it would have left.
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
    // A clock that stepped back may have been noted by a charge that is not kept.
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
