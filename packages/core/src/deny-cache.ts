import { z } from "zod";
import { settled } from "./awaitable.ts";
import { type Clock, exactClock, wholeClock } from "./clock.ts";
import { checkOptions } from "./options/check-options.ts";
import { aFunction, milliseconds, wholeFromOne } from "./options/expecting.ts";
import { storeSchema } from "./options/store-schema.ts";
import type { Policy } from "./policy.ts";
import { type Charge, counterOf, passes, type Store, type Taken } from "./store.ts";

/** How much a `denyCache` remembers, and for how long. */
export interface DenyCacheOptions {
  /** The most keys to remember. Default 10 000. */
  readonly maxKeys?: number | undefined;
  /**
   * Milliseconds after which the store is asked again, whatever the wait: so long may a reset, a refund or a raised
   * limit of another process go unseen here. Default 1000.
   */
  readonly maxAge?: number | undefined;
  /** Milliseconds that never step back. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/** A charge of a refused request, as the store told of it. */
interface Memory {
  readonly policy: Policy;
  readonly cost: number;
  readonly state: readonly number[];
  /** The store's clock when it answered, and the local one before it was asked and after it was heard. */
  readonly now: number;
  readonly asked: number;
  readonly heard: number;
}

const schema = z.strictObject({
  maxKeys: wholeFromOne.optional(),
  maxAge: milliseconds.optional(),
  clock: aFunction.optional(),
});

/**
 * Refuses here, without asking the store, what the store would refuse for certain, so that an attack costs it about
 * one call per key and wait, or `maxAge` where that is shorter. What a key has used can only grow meanwhile, and the
 * store's clock is at the most as far ahead of what it was as the time since the question: no request is refused that
 * the store would let pass, whatever its cost and however the clocks differ. Resets and refunds through this store are
 * seen at once, those of others after `maxAge`. Requests with a policy that counts refusals always reach the store, and
 * those with a policy that bans unless it blocks them and trying changes nothing. Throws a `ConfigError` where an option
 * does not fit.
 */
export function denyCache(store: Store, options: DenyCacheOptions = {}): Store {
  checkOptions(z.object({ store: storeSchema }), { store });
  const { maxKeys = 10_000, maxAge = 1000, clock: given } = checkOptions(schema, options);
  // Not cut to milliseconds: what has passed since an answer is told by it.
  const clock = given === undefined ? exactClock : wholeClock(given);
  const memories = new Map<string, Memory>();
  /** Counts what makes an answer that is under way untrue. */
  let changes = 0;

  function refusal(charges: readonly Charge[]): Taken | undefined {
    if (memories.size === 0) return undefined;
    const local = clock();
    const known: Memory[] = [];
    let refusing: Memory | undefined;
    for (const charge of charges) {
      const memory = memories.get(counterOf(charge));
      const { policy } = charge;
      if (memory?.policy.trying() !== policy.trying() || !isRecent(memory, local)) return undefined;
      // What a charge would leave to the next one of its key only the store knows.
      if (known.includes(memory)) return undefined;
      // What was tried changed nothing; in earnest it may.
      if (policy.countRefused || policy.ban?.extend) return undefined;
      if (policy.ban && !isBlocked(memory, charge.cost, latest(memory, local))) return undefined;
      const same = charge.cost === memory.cost;
      if (!same && (charge.cost < memory.cost || policy.algorithm.reportsOneCost)) return undefined;
      const refused = isRefused(memory, charge.cost, latest(memory, local));
      // of other costs there is nothing to tell a client but that they are refused
      if (!refused && !same) return undefined;
      if (refused && !policy.shadow) refusing ??= memory;
      known.push(memory);
    }
    if (!refusing) return undefined;
    const now = earliest(refusing, local);
    const fits = known.map((memory, i) => !isRefused(memory, charges[i]!.cost, now));
    return { now, fits, states: known.map(({ state }) => state) };
  }

  function isRecent({ asked }: Memory, local: number): boolean {
    return local >= asked && local - asked < maxAge;
  }

  function remember(charges: readonly Charge[], taken: Taken, asked: number): void {
    const pass = passes(charges, taken.fits);
    const names = charges.map(counterOf);
    const told =
      !pass &&
      !taken.degraded &&
      charges.every((c, i) => isSilent(c, taken, i)) &&
      // Of a key that is named twice it tells what a charge would have left that was not kept.
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

  /** Before the store is asked, for whoever asks next, and once more when it has done it: it may have refused between. */
  function forget(charges: readonly Pick<Charge, "policy" | "key">[]): void {
    changes++;
    for (const charge of charges) memories.delete(counterOf(charge));
  }

  return {
    take(charges, keep) {
      // Not every thenable of a store answers a promise.
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

/** How much faster one clock may run than another. */
const drift = 0.001;
/** Within so many milliseconds that is no more than what is cut. */
const close = 1 / drift;

/** The time on the store's clock, at the most: it answered after it was asked. Both may be cut to milliseconds. */
function latest({ now, asked }: Memory, local: number): number {
  return now + Math.ceil((local - asked) * (1 + drift)) + 2;
}

/** The time on the store's clock, at the least: waits that are told by it are not too short. */
function earliest({ now, heard }: Memory, local: number): number {
  const passed = Math.max(0, local - heard);
  return now + Math.floor(passed - Math.max(0, passed - close) * drift);
}

/** Whether a charge that was refused changes nothing if it is asked again. */
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
  return policy.algorithm.view(state, now, cost, policy.params(now)).retryAfter > 0;
}
