import type { Field, Selection } from "./outline.ts";
import type { Work } from "./work.ts";

/** Fields that a server merges into one. */
export interface Merged {
  readonly field: Field;
  /** The selections of all of them. */
  readonly inner: Selection[];
  /** A different field with the same response name, possible only in types that exclude each other. */
  other: Merged | undefined;
}

/** Collects the fields of one object's selections, including those of fragments, each fragment once. */
export function merged(selections: readonly Selection[], work: Work): readonly Merged[] {
  const groups: Merged[] = [];
  const byName = new Map<string, Merged>();
  // Grows during the iteration.
  const all = new Set(selections);
  for (const { fields, spreads } of all) {
    for (const spread of spreads) {
      if (!work.spend()) return groups;
      all.add(spread);
    }
    for (const field of fields) {
      if (!work.spend()) return groups;
      let group = byName.get(field.response);
      while (group && !isSame(group.field, field)) {
        if (!work.spend()) return groups;
        group = group.other;
      }
      if (group) {
        if (field.inner) group.inner.push(field.inner);
        continue;
      }
      const inner = field.inner ? [field.inner] : [];
      const made = { field, inner, other: byName.get(field.response) };
      byName.set(field.response, made);
      groups.push(made);
    }
  }
  return groups;
}

function isSame(a: Field, b: Field): boolean {
  return (
    a.name === b.name &&
    a.size === b.size &&
    a.cost === b.cost &&
    a.list === b.list &&
    (a.inner === undefined) === (b.inner === undefined)
  );
}
