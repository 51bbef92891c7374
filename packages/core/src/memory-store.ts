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

/** The bounds and the clock of a `memoryStore`. */
export interface MemoryStoreOptions {
  /** The most keys to remember, over all policies. Default 1 000 000. */
  readonly maxKeys?: number | undefined;
  /** Epoch milliseconds, whole. Default: the machine's, never stepping back. */
  readonly clock?: Clock | undefined;
}

/** A store in this process, which answers in place. */
export interface MemoryStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Taken;
  /** The keys that are remembered and not yet as good as new. Looks at every one of them. */
  readonly size: number;
}

/** After so many new keys, places are looked at to forget keys that are as good as new: the more, the more are. */
const newKeys = 32;
const [fewestPlaces, mostPlaces] = [16, 1024];

const schema = z.strictObject({
  maxKeys: wholeFromOne.optional(),
  clock: aFunction.optional(),
});

/**
 * Keeps everything in this process: the embedded default. Bounded by `maxKeys`: what is as good as new goes first,
 * then what has most allowance left, then what has none, then what was refused where that is counted; a key that is
 * blocked is the last to go. The smallest policies, which have less than 1/32 of all keys together, are spared, since
 * theirs may be keys that everybody shares: of 32 that are compared, one of others goes if it has allowance left.
 * Several limiters may share one.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys = 1_000_000, clock: given } = checkOptions(schema, options);
  const clock = wholeClock(given);
  let registers = createRegisters();
  let added = 0;
  let places = fewestPlaces;

  /** Looks at twice as many places as last time where one in four was forgotten, else at half as many. */
  function sweepOnTheWay(now: number): void {
    const { census } = registers;
    const before = census.rows;
    sweepNext(registers, places, now);
    const many = (before - census.rows) * 4 > places;
    places = many ? Math.min(mostPlaces, places * 2) : Math.max(fewestPlaces, places / 2);
  }

  /** The answer to a single charge, which the next one overwrites. */
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
      // What is left of each lap, then a whole one.
      for (const register of registers.order) {
        sweep(register, Infinity, now);
        sweep(register, Infinity, now);
      }
      return registers.census.rows;
    },

    close() {
      registers = createRegisters();
    },
  };
  noteSingleCharge(store, takeOne);
  sweepRegularly(store, (atMost) => sweepNext(registers, atMost, clock()));
  return store;
}

/** Whether a charge would fit, as a look tells it. Leaves its key looked up. */
function fitsIn(register: Register, { policy, key, cost }: Charge, now: number): boolean {
  const { algorithm } = policy;
  const params = policy.params(now);
  find(register, key);
  const report = algorithm.report(register.slots, now, cost, params);
  return algorithm.view(report, now, cost, params).retryAfter === 0;
}
