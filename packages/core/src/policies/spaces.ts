import type { Store } from "../store.ts";
import { defaultPolicyName } from "./policy-name.ts";

/** A name that a policy goes by in one store. */
export interface Space {
  readonly id: string;
  /** Notes that something is charged under it; tells where another policy took it over meanwhile. */
  noteCharge(): void;
  /** Says what the settings of the policy are from now on, where its limiter goes on with others in the same space. */
  exchange(settings: string): void;
}

interface SpaceEntry {
  readonly id: string;
  /** Whether anything was charged under it yet. */
  used: boolean;
  settings: string;
  /** How often a policy with other settings took it over. */
  reign: number;
}

/** Is told the settings of both, when a policy charges though another took its space over. */
type Tell = (own: string, other: string) => void;

type Places = WeakMap<object, Map<string, SpaceEntry>>;

/** Known across copies of the package: limiters of two copies may share a store. The number is that of its shape. */
const placesKey: unique symbol = Symbol.for("spillway.places/1");
const shared = globalThis as { [placesKey]?: Places };
shared[placesKey] ??= new WeakMap();
const places: Places = shared[placesKey];

/**
 * Chooses under which name a policy keeps its keys in a store. A policy with a name of its own keeps it: whoever
 * uses the name means the same counters, and a new limit is a live change. Policies that were left unnamed are told
 * apart, so that two limiters on one store never share a counter by accident: while the earlier one has not charged
 * anything yet, one with other settings is another policy; once it has, one with other settings is its successor
 * and takes over what was used. Where the earlier one then charges again, `taken` is told. A limiter whose policies are
 * exchanged while it runs stays in the spaces that it held, and says when the exchange is done. What tells unnamed ones
 * apart stands behind a tab, which no name can hold.
 */
export function spaceOf(
  store: Store,
  name: string,
  settings: string,
  kind: string,
  held?: Map<string, Space>,
  taken: Tell = () => {},
): Space {
  if (name !== defaultPolicyName) return { id: name, noteCharge() {}, exchange() {} };
  const mine = held?.get(kind);
  if (mine) return mine;
  const space = new SpaceHandle(entryIn(store, settings, kind), settings, taken);
  held?.set(kind, space);
  return space;
}

/** A limiter's hold on a space. A class: each charge is noted, for next to nothing. */
class SpaceHandle implements Space {
  declare readonly id: string;
  readonly #entry: SpaceEntry;
  readonly #taken: Tell;
  #settings: string;
  #reign: number;

  constructor(entry: SpaceEntry, settings: string, taken: Tell) {
    this.id = entry.id;
    this.#entry = entry;
    this.#taken = taken;
    this.#settings = settings;
    this.#reign = entry.reign;
  }

  noteCharge(): void {
    this.#entry.used = true;
    if (this.#entry.reign !== this.#reign) this.#tell();
  }

  exchange(settings: string): void {
    this.#settings = settings;
    if (this.#entry.reign === this.#reign) this.#entry.settings = settings;
  }

  #tell(): void {
    const { reign, settings } = this.#entry;
    this.#reign = reign;
    // Another with the same settings may have taken it back: equals count together.
    if (settings !== this.#settings) this.#taken(this.#settings, settings);
  }
}

function entryIn(store: Store, settings: string, kind: string): SpaceEntry {
  const place = store.place ?? store;
  const entries = places.get(place) ?? new Map<string, SpaceEntry>();
  places.set(place, entries);
  const first = `${kind} ${defaultPolicyName}`;
  const known = entries.get(first);
  if (!known) return remember(entries, first, defaultPolicyName, settings);
  if (known.settings === settings) return known;
  const apart = `${first} ${settings}`;
  const other = entries.get(apart);
  if (other) return takenOver(other, settings);
  if (known.used) return takenOver(known, settings);
  return remember(entries, apart, `${defaultPolicyName}\t${settings}`, settings);
}

function takenOver(entry: SpaceEntry, settings: string): SpaceEntry {
  if (entry.settings === settings) return entry;
  entry.settings = settings;
  entry.reign++;
  return entry;
}

function remember(
  entries: Map<string, SpaceEntry>,
  at: string,
  id: string,
  settings: string,
): SpaceEntry {
  const entry = { id, settings, used: false, reign: 0 };
  entries.set(at, entry);
  return entry;
}
