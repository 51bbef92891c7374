import { z } from "zod";
import { type Clock, wholeClock } from "./clock.ts";
import { drafted } from "./memory/drafts.ts";
import { makeRoom } from "./memory/eviction.ts";
import { find, findAgain, forget, type Register, save, sweep } from "./memory/register.ts";
import { createRegisters, isNamedAgain, registerOf, sweepNext } from "./memory/registers.ts";
import { sweepRegularly } from "./memory/sweeper.ts";
import { checkOptions } from "./options/check-options.ts";
import { aFunction, wholeFromOne } from "./options/expecting.ts";
import type { Policy } from "./policy.ts";
import { noteSingleCharge } from "./single-charge.ts";
import {
  type Charge,
  isCharged,
  makesKey,
  passes,
  type Store,
  type Taken,
  type TakenOne,
} from "./store.ts";

/** The capacity and clock of a `memoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of keys, over all policies. Default 1 000 000. */
  readonly maxKeys?: number | undefined;
  /** Epoch milliseconds, whole. Default: the machine's, never stepping back. */
  readonly clock?: Clock | undefined;
}

/** A store in this process that answers synchronously. */
export interface MemoryStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Taken;
  /** Number of keys that have not expired. Visits every key. */
  readonly size: number;
}

/**
 * New keys between two sweeps for expired ones, and the bounds of the places per sweep: more while more have expired.
 */
const newKeys = 32;
const [fewestPlaces, mostPlaces] = [16, 1024];

const schema = z.strictObject({
  maxKeys: wholeFromOne.optional(),
  clock: aFunction.optional(),
});

/**
 * Creates the default store, which keeps everything in this process. Bounded by `maxKeys`: evicts expired keys first,
 * then those with most allowance left, then exhausted ones, then those with refusals counted for a ban, banned keys
 * last. The smallest policies, with under 1/32 of all keys together, are spared, because everybody may share their
 * keys: of 32 keys compared, one of another policy goes if it has allowance left. Several limiters may share a store.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys = 1_000_000, clock: given } = checkOptions(schema, options);
  const clock = wholeClock(given);
  let registers = createRegisters();
  let added = 0;
  let places = fewestPlaces;

  /** Sweeps; next time twice as many places if over a quarter were freed, else half as many. */
  function sweepOnTheWay(now: number): void {
    const { census } = registers;
    const before = census.rows;
    // By the hand of evictions, whose next keys are then those that no sweep has seen for longest.
    sweepNext(registers, "evicting", places, now);
    const many = (before - census.rows) * 4 > places;
    places = many ? Math.min(mostPlaces, places * 2) : Math.max(fewestPlaces, places / 2);
  }

  /** The result of a single charge, overwritten by the next. */
  const taken = { now: 0.5, fit: false, state: [] as readonly number[] };

  function takeOne(policy: Policy, key: string, cost: number): TakenOne {
    const now = clock();
    const { algorithm } = policy;
    const params = policy.params(now);
    const register = registerOf(registers, policy, now);
    const isKnown = find(register, key);
    const { slots } = register;
    const fit = algorithm.take(slots, now, cost, params);
    if (cost > 0 && (isKnown || makesKey(policy, fit))) {
      write(register, policy, isKnown, now);
    }
    taken.now = now;
    taken.fit = fit;
    taken.state = algorithm.report(slots, now, cost, params);
    return taken;
  }

  function takeMany(charges: readonly Charge[], keep: boolean, now: number): Taken {
    registers.request++;
    const fits = new Array<boolean>(charges.length);
    for (let i = 0; i < charges.length; i++) {
      const charge = charges[i]!;
      const register = registerOf(registers, charge.policy, now);
      if (isNamedAgain(registers, register)) return takeInTurn(charges, keep, now);
      fits[i] = fitsIn(register, charge, now);
    }
    const pass = passes(charges, fits);
    const states = charges.map(({ policy, key, cost }, i) => {
      const fit = fits[i]!;
      const params = policy.params(now);
      const register = registerOf(registers, policy, now);
      const isKnown = find(register, key);
      const { slots } = register;
      if (keep && isCharged(policy, cost, fit, pass)) {
        policy.algorithm.take(slots, now, cost, params);
        if (isKnown || makesKey(policy, fit)) write(register, policy, isKnown, now);
      }
      return policy.algorithm.report(slots, now, cost, params);
    });
    return { now, fits, states };
  }

  function takeInTurn(charges: readonly Charge[], keep: boolean, now: number): Taken {
    const { taken, drafts } = drafted(charges, keep, now, ({ policy, key }) => {
      const register = registerOf(registers, policy, now);
      find(register, key);
      return register.slots;
    });
    for (const { key, kept, writer, counts } of drafts) {
      if (writer === undefined) continue;
      const register = registerOf(registers, writer, now);
      const isKnown = find(register, key);
      if (!isKnown && !counts) continue;
      for (let i = 0; i < kept.length; i++) register.slots[i] = kept[i]!;
      write(register, writer, isKnown, now);
    }
    return taken;
  }

  function write(register: Register, policy: Policy, isKnown: boolean, now: number): void {
    if (!isKnown) {
      added++;
      const swept = added % newKeys === 0;
      if (swept) sweepOnTheWay(now);
      const full = registers.census.rows >= maxKeys;
      if (full) makeRoom(registers, now);
      if (swept || full) findAgain(register);
    }
    save(register, policy);
  }

  const store: MemoryStore = {
    take(charges, keep) {
      return takeMany(charges, keep, clock());
    },

    give({ charges, now: at, fits, states }) {
      const now = clock();
      charges.forEach(({ policy, key, cost }, i) => {
        const register = registerOf(registers, policy, now);
        if (!fits[i] || !find(register, key)) return;
        policy.algorithm.give(register.slots, now, cost, at, states[i]!, policy.params(now));
        save(register, policy);
      });
    },

    reset(policy, key) {
      forget(registerOf(registers, policy, clock()), key);
    },

    get size() {
      const now = clock();
      // The rest of the current lap, then a whole one.
      for (const register of registers.order) {
        sweep(register, register.table.sweeping, Infinity, now);
        sweep(register, register.table.sweeping, Infinity, now);
      }
      return registers.census.rows;
    },

    close() {
      registers = createRegisters();
    },
  };
  noteSingleCharge(store, takeOne);
  sweepRegularly(store, (atMost) => sweepNext(registers, "sweeping", atMost, clock()));
  return store;
}

/** Whether a charge would fit, without charging it. Leaves its key found in the register. */
function fitsIn(register: Register, { policy, key, cost }: Charge, now: number): boolean {
  const { algorithm } = policy;
  const params = policy.params(now);
  find(register, key);
  const report = algorithm.report(register.slots, now, cost, params);
  return algorithm.view(report, now, cost, params).retryAfter === 0;
}
