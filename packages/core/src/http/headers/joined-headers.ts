import type { HeaderField } from "./header-field.ts";
import { type HeaderWriter, headerWriter } from "./rate-headers.ts";

/** Keyed by the earlier one, then the later one. */
const joined = new WeakMap<HeaderWriter, WeakMap<HeaderWriter, HeaderWriter>>();

/**
 * Joins what two limiters on one request write: each header once. If they give a name two meanings, the earlier one's
 * headers describe all policies, and the later one's are left out: a client could not read them.
 */
export function joinedHeaders(earlier: HeaderWriter, later: HeaderWriter): HeaderWriter {
  const known = joined.get(earlier) ?? new WeakMap<HeaderWriter, HeaderWriter>();
  joined.set(earlier, known);
  const made = known.get(later) ?? headerWriter(joinedFields(earlier.fields, later.fields));
  known.set(later, made);
  return made;
}

function joinedFields(
  earlier: readonly HeaderField[],
  later: readonly HeaderField[],
): readonly HeaderField[] {
  const meanings = new Map(earlier.map(({ name, meaning }) => [name.toLowerCase(), meaning]));
  const meaningOf = ({ name }: HeaderField): string | undefined => meanings.get(name.toLowerCase());
  const clash = later.some((field) => ![undefined, field.meaning].includes(meaningOf(field)));
  if (clash) return earlier;
  return [...earlier, ...later.filter((field) => meaningOf(field) === undefined)];
}
