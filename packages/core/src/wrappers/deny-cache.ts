import { z } from "zod";
import { settled } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import { checkOptions } from "../options/check-options.ts";
import { aFunction, milliseconds, wholeFromOne } from "../options/expecting.ts";
import { storeSchema } from "../options/store-schema.ts";
import type { Policy } from "../policy.ts";
import { type Charge, counterOf, passes, type Store, type Taken } from "../store.ts";
import { type Answered, earliest, elapsedClock, fitsBy, isRecent, latest } from "./answered.ts";

/** The capacity and maximum age of a `denyCache`. */
export interface DenyCacheOptions {
  /** Maximum number of keys. Default 10 000. */
  readonly maxKeys?: number | undefined;
  /**
   * Milliseconds after which the store is asked again, however long the wait: for so long, a reset, a refund or a
   * raised limit of another process may go unnoticed. Default 1000.
   */
  readonly maxAge?: number | undefined;
  /** Milliseconds that never step back. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/** A charge of a refused request, with the state that the store returned. */
interface Memory extends Answered {
  readonly policy: Policy;
  readonly cost: number;
  readonly state: readonly number[];
}

const schema = z.strictObject({
  maxKeys: wholeFromOne.optional(),
  maxAge: milliseconds.optional(),
  clock: aFunction.optional(),
});

/**
 * Creates a store that refuses from memory what the given one would certainly refuse, so that an attack costs the
 * latter about one call per key per wait, or per `maxAge` if shorter. Never refuses what the store would admit,
 * whatever the cost and however the clocks differ: meanwhile a key's use can only grow, and the store's clock advances
 * at most by the time since the call. Resets and refunds through this store apply at once, those of others after
 * `maxAge`. Requests under a policy that counts refusals always reach the store; so do those under a policy with bans,
 * unless a ban blocks them and retrying has no effect. Throws a `ConfigError` for an invalid option.
 */
export function denyCache(store: Store, options: DenyCacheOptions = {}): Store {
  checkOptions(z.object({ store: storeSchema }), { store });
  const { maxKeys = 10_000, maxAge = 1000, clock: given } = checkOptions(schema, options);
  const clock = elapsedClock(given);
  const memories = new Map<string, Memory>();
  /** Counts the changes that make pending answers obsolete. */
  let changes = 0;

  function refusal(charges: readonly Charge[]): Taken | undefined {
    if (memories.size === 0) return undefined;
    const local = clock();
    const known: Memory[] = [];
    let refusing: Memory | undefined;
    for (const charge of charges) {
      const memory = memories.get(counterOf(charge));
      const { policy } = charge;
      if (memory?.policy.trying() !== policy.trying() || !isRecent(memory, local, maxAge))
        return undefined;
      // Only the store knows what one charge would leave to the next of the same key.
      if (known.includes(memory)) return undefined;
      // A tentative attempt changed nothing; a final one may.
      if (policy.countRefused || policy.ban?.extend) return undefined;
      if (policy.ban && !isBlocked(memory, charge.cost, latest(memory, local))) return undefined;
      const same = charge.cost === memory.cost;
      if (!same && (charge.cost < memory.cost || policy.algorithm.reportsOneCost)) return undefined;
      const refused = isRefused(memory, charge.cost, latest(memory, local));
      // About another cost nothing can be reported except that it is refused.
      if (!refused && !same) return undefined;
      if (refused && !policy.shadow) refusing ??= memory;
      known.push(memory);
    }
    if (!refusing) return undefined;
    const now = earliest(refusing, local);
    const fits = known.map((memory, i) => !isRefused(memory, charges[i]!.cost, now));
    return { now, fits, states: known.map(({ state }) => state) };
  }

  function remember(charges: readonly Charge[], taken: Taken, asked: number): void {
    const pass = passes(charges, taken.fits);
    const names = charges.map(counterOf);
    const told =
      !pass &&
      !taken.degraded &&
      charges.every((c, i) => isSilent(c, taken, i)) &&
      // A key that is named twice reports what an earlier charge would have left, which was not kept.
      new Set(names).size === names.length;
    const heard = clock();
    charges.forEach((charge, i) => {
      const name = names[i]!;
      if (told || memories.size > 0) memories.delete(name);
      if (!told) return;
      const { policy, cost } = charge;
      memories.set(name, { policy, cost, state: taken.states[i]!, now: taken.now, asked, heard });
      if (memories.size > maxKeys) memories.delete(memories.keys().next().value!);
    });
  }

  /** Runs before the store is asked, for concurrent requests, and again afterwards: it may have refused in between. */
  function forget(charges: readonly Pick<Charge, "policy" | "key">[]): void {
    changes++;
    for (const charge of charges) memories.delete(counterOf(charge));
  }

  return {
    take(charges, keep) {
      // Not every thenable returns a promise from `then`.
      if (!keep) return settled(store.take(charges, false), (taken) => taken);
      const refused = refusal(charges);
      if (refused) return refused;
      const asked = clock();
      const before = changes;
      const told = (taken: Taken): Taken => {
        if (changes === before) remember(charges, taken, asked);
        return taken;
      };
      return settled(store.take(charges, true), told);
    },

    give(receipt) {
      forget(receipt.charges);
      return settled(store.give(receipt), () => forget(receipt.charges));
    },

    reset(policy, key) {
      forget([{ policy, key }]);
      return settled(store.reset(policy, key), () => forget([{ policy, key }]));
    },

    place: store.place ?? store,
  };
}

/** Whether retrying a refused charge changes nothing. */
function isSilent({ policy, cost }: Charge, { now, states }: Taken, i: number): boolean {
  if (policy.countRefused) return false;
  if (!policy.ban) return true;
  return !policy.ban.extend && isBlocked({ policy, state: states[i]! }, cost, now);
}

function isBlocked(
  { policy, state }: Pick<Memory, "policy" | "state">,
  cost: number,
  now: number,
): boolean {
  return policy.algorithm.view(state, now, cost, policy.params(now)).blocked === true;
}

function isRefused({ policy, state }: Memory, cost: number, now: number): boolean {
  return !fitsBy(state, policy, cost, now);
}
