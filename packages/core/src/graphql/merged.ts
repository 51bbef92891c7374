import type { Field, Selection } from "./outline.ts";
import type { Work } from "./work.ts";

/** Fields that a server answers as one. */
export interface Merged {
  readonly field: Field;
  /** The selections of all of them. */
  readonly inner: Selection[];
}

/** Collects the fields of selections of one object, those of fragments among them: each fragment once. */
export function merged(selections: readonly Selection[], work: Work): Iterable<Merged> {
  const groups = new Map<string, Merged>();
  // Grows while it is walked.
  const all = new Set(selections);
  for (const { fields, spreads } of all) {
    for (const spread of spreads) {
      if (!work.spend()) return groups.values();
      all.add(spread);
    }
    for (const field of fields) {
      if (!work.spend()) return groups.values();
      const group = groups.get(field.key);
      if (!group) groups.set(field.key, { field, inner: field.inner ? [field.inner] : [] });
      else if (field.inner) group.inner.push(field.inner);
    }
  }
  return groups.values();
}
