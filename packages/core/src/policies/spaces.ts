import type { Store } from "../store.ts";
import { defaultPolicyName } from "./policy-name.ts";

/** The name of a policy's counters in one store. */
export interface Space {
  readonly id: string;
  /** Notes a charge; reports if another policy has taken the space over. */
  noteCharge(): void;
  /** Changes the policy's settings when its limiter replaces policies within the same space. */
  exchange(settings: string): void;
}

interface SpaceEntry {
  readonly id: string;
  /** Whether anything has been charged. */
  used: boolean;
  settings: string;
  /** How often a policy with other settings took it over. */
  generation: number;
}

/** Receives both settings when a policy charges although another took its space over. */
type Tell = (own: string, other: string) => void;

type Places = WeakMap<object, Map<string, SpaceEntry>>;

/**
 * Shared across copies of the package, because their limiters may share a store. The number is the version of the data.
 */
const placesKey: unique symbol = Symbol.for("spillway.places/1");
const shared = globalThis as { [placesKey]?: Places };
shared[placesKey] ??= new WeakMap();
const places: Places = shared[placesKey];

/**
 * Chooses the name of a policy's counters in a store. A named policy uses its name: the same name means the same
 * counters, and a new limit is a live change. Unnamed ones are kept apart, so that two limiters never share a counter
 * by accident: one with other settings gets its own name as long as the earlier one has not charged; after that it is
 * the successor and takes over what was used. If the earlier one charges again, `taken` is called. A limiter that
 * replaces its policies at run time keeps its spaces, and calls `exchange` when done. What distinguishes unnamed
 * policies follows a tab, which no given name can contain.
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

/** A limiter's hold on a space. A class, so that noting each charge costs next to nothing. */
class SpaceHandle implements Space {
  declare readonly id: string;
  readonly #entry: SpaceEntry;
  readonly #taken: Tell;
  #settings: string;
  #generation: number;

  constructor(entry: SpaceEntry, settings: string, taken: Tell) {
    this.id = entry.id;
    this.#entry = entry;
    this.#taken = taken;
    this.#settings = settings;
    this.#generation = entry.generation;
  }

  noteCharge(): void {
    this.#entry.used = true;
    if (this.#entry.generation !== this.#generation) this.#tell();
  }

  exchange(settings: string): void {
    this.#settings = settings;
    if (this.#entry.generation === this.#generation) this.#entry.settings = settings;
  }

  #tell(): void {
    const { generation, settings } = this.#entry;
    this.#generation = generation;
    // Another with the same settings may have taken it back; those may share counters.
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
  entry.generation++;
  return entry;
}

function remember(
  entries: Map<string, SpaceEntry>,
  at: string,
  id: string,
  settings: string,
): SpaceEntry {
  const entry = { id, settings, used: false, generation: 0 };
  entries.set(at, entry);
  return entry;
}
