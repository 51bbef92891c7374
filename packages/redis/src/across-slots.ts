import { blankState, type Charge, passes, StoreError, type Taken } from "@spillway/core";
import { patience } from "./patience.ts";
import type { RedisQueue } from "./redis-queue.ts";

/** What charges that lie apart are taken with. */
export interface Means {
  readonly queue: RedisQueue;
  /** Milliseconds for the whole. */
  readonly deadline: number;
}

/** What became of charges that lie apart. */
export interface Across {
  readonly taken: Taken;
  /** The time of each charge's slot when it was asked. */
  readonly clocks: readonly number[];
}

/**
 * Takes charges that lie in several slots of a cluster, which no script can do at once: slot by slot, and gives back
 * what was taken when a later slot refuses, fails or comes too late. Each policy's own limit holds at every moment;
 * what is not kept is that nobody sees a charge that is given back a moment later.
 */
export function takeAcross(
  slots: readonly (readonly number[])[],
  charges: readonly Charge[],
  keep: boolean,
  { queue, deadline }: Means,
): Promise<Across> {
  const fits: boolean[] = [];
  const states: (readonly number[])[] = [];
  const clocks: number[] = [];
  let late = false;

  async function ask(slot: readonly number[], kept: boolean): Promise<boolean> {
    const asked = slot.map((i) => charges[i]!);
    const taken = (await queue.push({ act: "take", charges: asked, keep: kept }))!;
    slot.forEach((i, j) => {
      fits[i] = taken.fits[j]!;
      states[i] = taken.states[j]!;
      clocks[i] = taken.now;
    });
    return passes(asked, taken.fits);
  }

  function give(i: number): Promise<unknown> {
    return queue.push({ act: "give", charge: charges[i]!, at: clocks[i]!, left: states[i]! });
  }

  /** Gives back whatever a request took that was not decided. */
  async function takeBack(slot: readonly number[]): Promise<unknown> {
    const taken = slot.filter((i) => keep && fits[i] && charges[i]!.cost > 0);
    return Promise.all(taken.map(give));
  }

  /** Gives back what a refused request must not keep, and looks again at what does not count refusals. */
  async function undo(slot: readonly number[]): Promise<unknown> {
    const rest = slot.filter((i) => !charges[i]!.policy.countRefused);
    const taken = rest.filter((i) => fits[i] && charges[i]!.cost > 0);
    return Promise.all([...(keep ? taken.map(give) : []), rest.length > 0 && ask(rest, false)]);
  }

  /** Looks at a slot that a refused request did not come to, and charges what counts refusals. */
  async function pass(slot: readonly number[]): Promise<unknown> {
    const counted = slot.filter((i) => charges[i]!.policy.countRefused);
    const rest = slot.filter((i) => !charges[i]!.policy.countRefused);
    return Promise.all([counted.length > 0 && ask(counted, keep), rest.length > 0 && look(rest)]);
  }

  /** Looks, and lets policies that ban count the refusals that it saw. */
  async function look(slot: readonly number[]): Promise<unknown> {
    await ask(slot, false);
    const refused = slot.filter((i) => !fits[i] && charges[i]!.policy.ban);
    if (!keep || refused.length === 0) return undefined;
    await ask(refused, true);
    return refused.some((i) => fits[i]) && undo(refused);
  }

  async function take(): Promise<Across> {
    let reached = 0;
    try {
      while (reached < slots.length && (await ask(slots[reached]!, keep))) {
        reached++;
        if (late) throw new StoreError("Redis answered too late");
      }
    } catch (error) {
      await Promise.allSettled(slots.slice(0, reached).map(takeBack));
      throw error;
    }
    if (reached === slots.length)
      return { taken: { now: Math.max(...clocks), fits, states }, clocks };

    const decided = clocks[slots[reached]![0]!]!;
    const looks = slots.map((slot, i) =>
      i < reached ? undo(slot) : i > reached ? pass(slot) : undefined,
    );
    const degraded = (await Promise.allSettled(looks)).some(({ status }) => status === "rejected");
    charges.forEach(({ policy, cost }, i) => {
      // a refusal stands, whatever cannot be told of the other policies
      if (states[i]) return;
      const params = policy.params(decided);
      fits[i] = true;
      clocks[i] = decided;
      states[i] = policy.algorithm.report(
        blankState(policy.algorithm, params),
        decided,
        cost,
        params,
      );
    });
    return { taken: { now: decided, fits, states, ...(degraded && { degraded }) }, clocks };
  }

  return new Promise((resolve, reject) => {
    const stop = patience(deadline, () => {
      late = true;
      reject(new StoreError(`Redis did not answer within ${deadline} ms`));
    });
    take().then(resolve, reject).finally(stop);
  });
}
