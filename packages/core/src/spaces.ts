import type { Store } from "./store.ts";

/** A name that a policy goes by in one store, and whether anything was charged under it yet. */
export interface Space {
  readonly id: string;
  used: boolean;
}

interface Entry extends Space {
  settings: string;
}

type Places = WeakMap<object, Map<string, Entry>>;

/** Known across copies of the package: limiters of two copies may share a store. */
const placesKey: unique symbol = Symbol.for("spillway.places") as never;
const shared = globalThis as { [placesKey]?: Places };
shared[placesKey] ??= new WeakMap();
const places: Places = shared[placesKey];

/**
 * Chooses under which name a policy keeps its keys in a store. A policy with a name of its own keeps it: whoever
 * uses the name means the same counters, and a new limit is a live change. Policies that were left unnamed are told
 * apart, so that two limiters on one store never share a counter by accident: while the earlier one has not charged
 * anything yet, one with other settings is another policy; once it has, one with other settings is its successor
 * and takes over what was used. A limiter whose policies are exchanged while it runs stays in the spaces that it held.
 */
export function spaceOf(
  store: Store,
  name: string,
  settings: string,
  kind: string,
  held?: Map<string, Space>,
): Space {
  if (name !== "default") return { id: name, used: false };
  const mine = held?.get(kind) as Entry | undefined;
  if (mine) {
    mine.settings = settings;
    return mine;
  }
  const space = spaceIn(store, settings, kind);
  held?.set(kind, space);
  return space;
}

function spaceIn(store: Store, settings: string, kind: string): Entry {
  const place = store.place ?? store;
  const entries = places.get(place) ?? new Map<string, Entry>();
  places.set(place, entries);
  const first = `${kind} default`;
  const known = entries.get(first);
  if (!known) return remember(entries, first, "default", settings);
  if (known.settings === settings) return known;
  const apart = `${first} ${settings}`;
  const other = entries.get(apart);
  if (other) return other;
  if (known.used) {
    known.settings = settings;
    return known;
  }
  return remember(entries, apart, `default ${settings}`, settings);
}

function remember(entries: Map<string, Entry>, at: string, id: string, settings: string): Entry {
  const entry = { id, settings, used: false };
  entries.set(at, entry);
  return entry;
}
