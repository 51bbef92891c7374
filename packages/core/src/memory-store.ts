import { z } from "zod";
import { checkOptions } from "./check-options.ts";
import { type Clock, wholeClock } from "./clock.ts";
import { aFunction, wholeFromOne } from "./expecting.ts";
import { createCensus } from "./memory/census.ts";
import { drafted } from "./memory/drafts.ts";
import { first, rankOf } from "./memory/rank.ts";
import {
  createRegister,
  drop,
  find,
  findAgain,
  forget,
  type Register,
  save,
  step,
  sweep,
} from "./memory/register.ts";
import type { Place } from "./memory/table.ts";
import type { Policy } from "./policy.ts";
import { noteSingleCharge } from "./single-charge.ts";
import { type Charge, passes, type Store, type Taken, type TakenOne } from "./store.ts";
import { sweepRegularly } from "./sweeper.ts";

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
/** Registers below this number are kept, with or without keys. */
const fewestRegisters = 256;
/** How many keys are compared before one must go. The smallest policies, with less than one in so many, are spared. */
const compared = 32;

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
  const registers = new Map<string, Register>();
  let census = createCensus();
  let order: Register[] = [];
  let turn = 0;
  /** With so many registers those without a key are let go. */
  let crowd = fewestRegisters;
  let added = 0;
  let places = fewestPlaces;
  let known = new WeakMap<Policy, Register>();
  let latestPolicy: Policy | undefined;
  let latest: Register | undefined;

  function registerOf(policy: Policy, now: number): Register {
    if (policy !== latestPolicy) {
      latest = known.get(policy) ?? openRegister(policy, now);
      latestPolicy = policy;
    }
    return latest!;
  }

  function openRegister(policy: Policy, now: number): Register {
    const name = `${policy.kind} ${policy.space}`;
    let register = registers.get(name);
    if (register === undefined) {
      if (registers.size >= crowd) letGo();
      register = createRegister(policy, now, census);
      registers.set(name, register);
      order = [...registers.values()];
    }
    known.set(policy, register);
    return register;
  }

  /** Policies that were exchanged for others leave registers that nobody asks any more. */
  function letGo(): void {
    for (const [name, { table, request: latest }] of registers) {
      // One that this request has met tells whether it names a key again.
      if (table.size === 0 && latest !== request) registers.delete(name);
    }
    crowd = Math.max(fewestRegisters, registers.size * 2);
    known = new WeakMap();
    turn = 0;
  }

  /** Looks at the next places, through all registers in turn, and forgets what is as good as new. */
  function sweepNext(atMost: number, now: number): void {
    if (order.length === 0) return;
    for (let left = atMost; left > 0; ) {
      left = sweep(order[turn]!, left, now);
      if (left > 0) turn = (turn + 1) % order.length;
    }
  }

  /** Looks at twice as many places as last time where one in four was forgotten, else at half as many. */
  function sweepOnTheWay(now: number): void {
    const before = census.rows;
    sweepNext(places, now);
    const many = (before - census.rows) * 4 > places;
    places = many ? Math.min(mostPlaces, places * 2) : Math.max(fewestPlaces, places / 2);
  }

  /** The size, a power of two, below which policies are spared. */
  function sizeOfCrowds(): number {
    let bits = 0;
    for (let sum = 0; sum * compared < census.rows; sum += census.bySize[bits]!) bits++;
    return 2 ** (bits - 1);
  }

  function makeRoom(now: number): void {
    const size = sizeOfCrowds();
    let loser: Register | undefined;
    const place: Place = { segment: order[0]!.seen.segment, at: 0 };
    let most = -Infinity;
    for (let left = Math.min(compared, census.rows); left > 0; ) {
      const register = order[turn]!;
      const met = step(register);
      if (met === "end") turn = (turn + 1) % order.length;
      if (met !== "row") continue;
      const { seen, table } = register;
      const spared = table.size < size;
      // Of what is spared one key in passing: else the hand might meet nothing else.
      if (spared) turn = (turn + 1) % order.length;
      else left--;
      const rank = rankOf(seen, spared, now);
      if (rank <= most) continue;
      loser = register;
      most = rank;
      place.segment = seen.segment;
      place.at = seen.at;
      if (rank === first) break;
    }
    if (loser) drop(loser, place);
  }

  /** The answer to a single charge, which the next one overwrites. */
  const taken = { now: 0.5, fit: false, state: [] as readonly number[] };

  function takeOne(policy: Policy, key: string, cost: number): TakenOne {
    const now = clock();
    const { algorithm } = policy;
    const params = policy.params(now);
    const register = registerOf(policy, now);
    const isKnown = find(register, key);
    const { slots } = register;
    const fit = algorithm.take(slots, now, cost, params);
    if (cost > 0 && (isKnown || fit || policy.ban !== undefined)) {
      write(register, policy, isKnown, now);
    }
    taken.now = now;
    taken.fit = fit;
    taken.state = algorithm.report(slots, now, cost, params);
    return taken;
  }

  /** Counts the requests with several charges; a register that none has named is at 0. */
  let request = 1;
  /** Whether that request named a register again, and so perhaps a key. */
  let again = false;

  function takeMany(charges: readonly Charge[], keep: boolean, now: number): Taken {
    request++;
    again = false;
    const fits = charges.map((charge) => fitsNow(charge, now));
    if (again) return takeInTurn(charges, keep, now);
    const pass = passes(charges, fits);
    const states = charges.map(({ policy, key, cost }, i) => {
      const params = policy.params(now);
      const register = registerOf(policy, now);
      const isKnown = find(register, key);
      const { slots } = register;
      if (keep && cost > 0 && (pass || policy.countRefused || !fits[i])) {
        policy.algorithm.take(slots, now, cost, params);
        if (isKnown || fits[i] || policy.ban !== undefined) write(register, policy, isKnown, now);
      }
      return policy.algorithm.report(slots, now, cost, params);
    });
    return { now, fits, states };
  }

  function fitsNow({ policy, key, cost }: Charge, now: number): boolean {
    const { algorithm } = policy;
    const params = policy.params(now);
    const register = registerOf(policy, now);
    if (register.request === request) again = true;
    register.request = request;
    find(register, key);
    const report = algorithm.report(register.slots, now, cost, params);
    return algorithm.view(report, now, cost, params).retryAfter === 0;
  }

  function takeInTurn(charges: readonly Charge[], keep: boolean, now: number): Taken {
    const { taken, drafts } = drafted(charges, keep, now, ({ policy, key }) => {
      const register = registerOf(policy, now);
      find(register, key);
      return register.slots;
    });
    for (const { key, kept, writer, counts } of drafts) {
      if (writer === undefined) continue;
      const register = registerOf(writer, now);
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
      const full = census.rows >= maxKeys;
      if (full) makeRoom(now);
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
        const register = registerOf(policy, now);
        if (!fits[i] || !find(register, key)) return;
        policy.algorithm.give(register.slots, now, cost, at, states[i]!, policy.params(now));
        save(register, policy);
      });
    },

    reset(policy, key) {
      forget(registerOf(policy, clock()), key);
    },

    get size() {
      const now = clock();
      // What is left of each lap, then a whole one.
      for (const register of order) {
        sweep(register, Infinity, now);
        sweep(register, Infinity, now);
      }
      return census.rows;
    },

    close() {
      registers.clear();
      census = createCensus();
      order = [];
      turn = 0;
      known = new WeakMap();
      latestPolicy = undefined;
    },
  };
  noteSingleCharge(store, takeOne);
  sweepRegularly(store, (atMost) => sweepNext(atMost, clock()));
  return store;
}
