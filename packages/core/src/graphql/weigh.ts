import { merged } from "./merged.ts";
import type { Model } from "./model.ts";
import type { Field, Selection } from "./outline.ts";
import { plus, times } from "./saturating.ts";
import type { Work } from "./work.ts";

/** What weighing needs of the options. */
export interface Weighing {
  readonly model: Model;
  readonly defaultPageSize: number;
  readonly maxDepth: number;
}

/** Where a selection is, as far as that affects costs. */
const places = { elsewhere: 0, edges: 1, mutation: 2 } as const;
type Place = (typeof places)[keyof typeof places];

/** The costs of a selection's fields, by how often they are returned. */
interface Weight {
  /** Fields that the object has once. */
  once: number;
  /** Other fields, per item of the page that the object is. */
  perItem: number;
  /** Other fields in total, if the object is no page, or one of unspecified size. */
  alone: number;
  /** Whether it requests the items of a page. */
  paged: boolean;
  /** Levels of fields. */
  depth: number;
}

const none: Readonly<Weight> = weightless();
/** Fields that connections have once, when no schema says. */
const onceByName: ReadonlySet<string> = new Set(["pageInfo", "totalCount"]);
/** Fields that return the items of a connection. */
const itemsByName: ReadonlySet<string> = new Set(["edges", "nodes"]);

/**
 * Weighs what an operation asks for. Fields that a server merges cost once, with the selections of all of them; each
 * merged selection is weighed once, however often it is requested. A `depth` above the maximum only means that it is
 * exceeded, as by fragments that contain themselves; the cost is meaningless then, and when the budget has run out.
 */
export function weigh(
  root: Selection,
  isMutation: boolean,
  { model, defaultPageSize, maxDepth }: Weighing,
  work: Work,
): { readonly cost: number; readonly depth: number } {
  const known = new Map<number | string, Weight>();

  function weightOf(selections: readonly Selection[], place: Place, level: number): Weight {
    const weight = weightless();
    if (level > maxDepth) {
      weight.depth = 1;
      return weight;
    }
    const name = nameOf(selections, place);
    const before = known.get(name);
    if (before) return before;
    for (const { field, inner } of merged(selections, work)) {
      const of = inner.length === 0 ? none : weightOf(inner, placeIn(field), level + 1);
      add(weight, field, of, place);
      weight.depth = Math.max(weight.depth, of.depth + 1);
      if (level + of.depth > maxDepth || work.exhausted()) return weight;
    }
    if (weight.paged) weight.alone = plus(weight.alone, times(defaultPageSize, model.item));
    known.set(name, weight);
    return weight;
  }

  function add(weight: Weight, field: Field, of: Readonly<Weight>, place: Place): void {
    const { name, list } = field;
    const own = field.cost ?? (place === places.mutation ? model.mutation : undefined);
    const whole = plus(of.once, of.alone);
    const unsized = field.inner !== undefined && field.size === undefined;
    if (unsized && list !== false && place !== places.mutation && itemsByName.has(name)) {
      // The items themselves are charged with their page.
      const each = plus(own ?? 0, whole);
      weight.perItem = plus(weight.perItem, each);
      weight.alone = plus(weight.alone, times(defaultPageSize, each));
      weight.paged = true;
      return;
    }
    if (unsized && list) {
      const all = times(defaultPageSize, plus(model.item, whole));
      weight.perItem = plus(weight.perItem, plus(field.cost ?? 0, whole));
      weight.alone = plus(weight.alone, plus(own ?? model.connection, all));
      return;
    }
    const cost = costOf(field, own, of, place);
    if (list !== undefined || onceByName.has(name) || name.startsWith("__")) {
      weight.once = plus(weight.once, cost);
      return;
    }
    weight.perItem = plus(weight.perItem, cost);
    weight.alone = plus(weight.alone, cost);
  }

  function costOf(
    { name, size, list, inner }: Field,
    own: number | undefined,
    of: Readonly<Weight>,
    place: Place,
  ): number {
    if (name.startsWith("__")) return name === "__typename" ? 0 : model.object;
    if (!inner) return own ?? model.scalar;
    const whole = plus(of.once, of.alone);
    if (size === undefined) {
      const object = of.paged ? Math.max(model.object, model.connection) : model.object;
      const free = place === places.edges && name === "node";
      return plus(own ?? (free ? 0 : object), whole);
    }
    const page = own ?? model.connection;
    if (list) return plus(page, times(size, plus(model.item, whole)));
    return plus(plus(page, of.once), times(size, plus(model.item, of.perItem)));
  }

  const place = isMutation ? places.mutation : places.elsewhere;
  const { once, alone, depth } = weightOf([root], place, 1);
  return { cost: plus(once, alone), depth };
}

function weightless(): Weight {
  return { once: 0, perItem: 0, alone: 0, paged: false, depth: 0 };
}

function placeIn({ name, size }: Field): Place {
  return name === "edges" && size === undefined ? places.edges : places.elsewhere;
}

/**
 * Returns the same name for the same selections at the same place; a number for a single one, by far the most common.
 */
function nameOf(selections: readonly Selection[], place: Place): number | string {
  if (selections.length === 1) return selections[0]!.id * 3 + place;
  const ids = selections.map(({ id }) => id).sort((a, b) => a - b);
  return `${place}:${ids.join()}`;
}
