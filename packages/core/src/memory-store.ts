import { z } from "zod";
import { checkOptions } from "./check-options.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Policy } from "./policy.ts";
import { expecting, isFunction, isWhole } from "./policy-options.ts";
import { type Charge, passes, type Store, type Taken } from "./store.ts";
import { sweepRegularly } from "./sweeper.ts";

export interface MemoryStoreOptions {
  /** The most keys to remember, over all policies. Default 1 000 000. */
  readonly maxKeys?: number | undefined;
  /** Epoch milliseconds, whole. Default: the machine's, never stepping back. */
  readonly clock?: Clock | undefined;
}

export interface MemoryStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Taken;
  /** The keys that are remembered and not yet as good as new. */
  readonly size: number;
}

interface Entry {
  readonly slots: number[];
  policy: Policy;
}

type Table = Map<string, Entry>;

/** How many entries a call looks at on its way, to forget those that are as good as new. */
const steps = 2;
/** How many entries are compared before one must go. */
const compared = 32;

const schema = z.strictObject({
  maxKeys: expecting<number>("a whole number of at least 1", (v) => isWhole(v) && v >= 1).optional(),
  clock: expecting<Clock>("a function", isFunction).optional(),
});

/**
 * Keeps everything in this process: the embedded default. Bounded by `maxKeys`: what is as good as new goes first,
 * then what has most allowance left; an exhausted key is the last to go. Several limiters may share one.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions(schema, options);
  const maxKeys = options.maxKeys ?? 1_000_000;
  const clock = options.clock ?? systemClock;
  const tables = new Map<string, Table>();
  let size = 0;
  let hand: Iterator<[Table, string, Entry]> = walk(tables);

  function tableOf({ space, kind }: Policy): Table {
    const at = `${kind} ${space}`;
    let table = tables.get(at);
    if (!table) tables.set(at, (table = new Map()));
    return table;
  }

  function next(): [Table, string, Entry] | undefined {
    let step = hand.next();
    if (step.done) {
      hand = walk(tables);
      step = hand.next();
    }
    return step.done ? undefined : step.value;
  }

  function forget(table: Table, key: string): void {
    if (table.delete(key)) size--;
  }

  function sweep(entries: number): void {
    const now = clock();
    for (let i = Math.min(entries, size); i > 0; i--) {
      const found = next();
      if (!found) return;
      if (isFresh(found[2], now)) forget(found[0], found[1]);
    }
  }

  function evict(now: number): void {
    let worst: [Table, string, Entry] | undefined;
    let most = -1;
    for (let i = 0; i < compared; i++) {
      const found = next();
      if (!found) break;
      const room = allowanceOf(found[2], now);
      if (room > most) [worst, most] = [found, room];
      if (room === 1) break;
    }
    if (worst) forget(worst[0], worst[1]);
  }

  function slotsOf(charge: Charge, now: number): number[] {
    const table = tableOf(charge.policy);
    const known = table.get(charge.key);
    if (known) {
      known.policy = charge.policy;
      return known.slots;
    }
    if (size >= maxKeys) evict(now);
    const slots = emptySlots(charge.policy, now);
    table.set(charge.key, { slots, policy: charge.policy });
    size++;
    return slots;
  }

  function peekSlots({ policy, key }: Charge, now: number): number[] {
    return tables.get(`${policy.kind} ${policy.space}`)?.get(key)?.slots ?? emptySlots(policy, now);
  }

  const store: MemoryStore = {
    take(charges, keep) {
      const now = clock();
      sweep(steps);
      const fits = charges.map((charge) => fitsNow(charge, peekSlots(charge, now), now));
      const pass = passes(charges, fits);
      const states = charges.map((charge, i) => {
        const { policy, cost } = charge;
        const params = policy.params(now);
        const written = keep && cost > 0 && (pass || policy.countRefused || !fits[i]);
        const slots = written && fits[i] ? slotsOf(charge, now) : peekSlots(charge, now);
        if (written) policy.algorithm.take(slots, now, cost, params);
        return policy.algorithm.report(slots, now, cost, params);
      });
      return { now, fits, states };
    },

    give({ charges, now: at, fits, states }) {
      const now = clock();
      charges.forEach(({ policy, key, cost }, i) => {
        const entry = tables.get(`${policy.kind} ${policy.space}`)?.get(key);
        if (entry && fits[i]) policy.algorithm.give(entry.slots, now, cost, at, states[i]!, policy.params(now));
      });
    },

    reset(policy, key) {
      forget(tableOf(policy), key);
    },

    get size() {
      sweep(size);
      return size;
    },

    close() {
      tables.clear();
      size = 0;
    },
  };
  sweepRegularly(store, sweep);
  return store;
}

function* walk(tables: ReadonlyMap<string, Table>): Generator<[Table, string, Entry]> {
  for (const table of tables.values()) {
    for (const [key, entry] of table) yield [table, key, entry];
  }
}

function emptySlots({ algorithm, params }: Policy, now: number): number[] {
  return new Array<number>(Math.min(algorithm.slots(params(now)), 128)).fill(0);
}

function fitsNow({ policy, cost }: Charge, slots: number[], now: number): boolean {
  const params = policy.params(now);
  const report = policy.algorithm.report(slots, now, cost, params);
  return policy.algorithm.view(report, now, cost, params).retryAfter === 0;
}

function isFresh({ slots, policy }: Entry, now: number): boolean {
  return policy.algorithm.expires(slots, policy.params(now)) <= now;
}

/** How much of its limit a key has left, 0 to 1; 1 for one that is as good as new. */
function allowanceOf(entry: Entry, now: number): number {
  const { slots, policy } = entry;
  if (isFresh(entry, now)) return 1;
  const params = policy.params(now);
  const { remaining } = policy.algorithm.view(policy.algorithm.report(slots, now, 1, params), now, 1, params);
  return policy.limit === 0 ? 0 : Math.min(remaining / policy.limit, 0.999);
}
