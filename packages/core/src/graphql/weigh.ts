import { merged } from "./merged.ts";
import type { Model } from "./model.ts";
import type { Field, Selection } from "./outline.ts";
import { plus, times } from "./saturating.ts";
import type { Work } from "./work.ts";

export interface Weighing {
  readonly model: Model;
  readonly defaultPageSize: number;
  readonly maxDepth: number;
}

/** Where a selection stands, as far as that matters to what its fields cost. */
type Place = "mutation" | "edges" | "elsewhere";

/** What the fields of a selection cost, by how often they are answered. */
interface Weight {
  /** Those that its object has once. */
  readonly once: number;
  /** The others, for each item of the page that its object is. */
  readonly perItem: number;
  /** The others, in all, where its object is no page, or one of a size that nothing says. */
  readonly alone: number;
  /** Whether it asks for the items of a page. */
  readonly paged: boolean;
  /** Levels of fields. */
  readonly depth: number;
}

const none: Weight = { once: 0, perItem: 0, alone: 0, paged: false, depth: 0 };
/** What connections have once, for want of a schema that tells. */
const onceByName: ReadonlySet<string> = new Set(["pageInfo", "totalCount"]);
/** What answers the items of a connection. */
const itemsByName: ReadonlySet<string> = new Set(["edges", "nodes"]);

/**
 * Weighs what an operation asks for. Fields that a server merges cost once, with the selections of all of them; each
 * merged selection is weighed once, however often it is asked for. A `depth` above the most that may be says no more
 * than that, as of fragments that contain themselves; the cost is meaningless then, and where the work is used up.
 */
export function weigh(
  root: Selection,
  isMutation: boolean,
  { model, defaultPageSize, maxDepth }: Weighing,
  work: Work,
): { readonly cost: number; readonly depth: number } {
  const known = new Map<string, Weight>();

  function weightOf(selections: readonly Selection[], place: Place, level: number): Weight {
    if (level > maxDepth) return { ...none, depth: 1 };
    const name = place + selections.map(({ id }) => id).sort();
    const before = known.get(name);
    if (before) return before;
    let weight = none;
    for (const { field, inner } of merged(selections, work)) {
      const of = inner.length === 0 ? none : weightOf(inner, placeIn(field), level + 1);
      weight = withField(weight, field, of, place);
      if (level + of.depth > maxDepth || work.exhausted) return weight;
    }
    if (weight.paged) {
      const alone = plus(weight.alone, times(defaultPageSize, model.item));
      weight = { ...weight, alone };
    }
    known.set(name, weight);
    return weight;
  }

  function withField(weight: Weight, field: Field, of: Weight, place: Place): Weight {
    const depth = Math.max(weight.depth, of.depth + 1);
    const { name, size, list, inner } = field;
    const own = field.cost ?? (place === "mutation" ? model.mutation : undefined);
    const whole = plus(of.once, of.alone);
    if (inner && size === undefined && list !== false && place !== "mutation") {
      if (itemsByName.has(name)) {
        // The items themselves are paid for by the page that they are of.
        const each = plus(own ?? 0, whole);
        return both(weight, each, times(defaultPageSize, each), true, depth);
      }
    }
    if (inner && size === undefined && list) {
      const all = times(defaultPageSize, plus(model.item, whole));
      const each = plus(field.cost ?? 0, whole);
      return both(weight, each, plus(own ?? model.connection, all), false, depth);
    }
    const cost = costOf(field, own, of, place);
    if (list !== undefined || onceByName.has(name) || name.startsWith("__")) {
      return { ...weight, once: plus(weight.once, cost), depth };
    }
    return both(weight, cost, cost, false, depth);
  }

  function costOf(field: Field, own: number | undefined, of: Weight, place: Place): number {
    const { name, size, list, inner } = field;
    if (name.startsWith("__")) return name === "__typename" ? 0 : model.object;
    if (!inner) return own ?? model.scalar;
    if (size === undefined) {
      const object = of.paged ? Math.max(model.object, model.connection) : model.object;
      const free = place === "edges" && name === "node";
      return plus(own ?? (free ? 0 : object), plus(of.once, of.alone));
    }
    const page = own ?? model.connection;
    if (list) return plus(page, times(size, plus(model.item, plus(of.once, of.alone))));
    return plus(plus(page, of.once), times(size, plus(model.item, of.perItem)));
  }

  const { once, alone, depth } = weightOf([root], isMutation ? "mutation" : "elsewhere", 1);
  return { cost: plus(once, alone), depth };
}

function placeIn({ name, size }: Field): Place {
  return name === "edges" && size === undefined ? "edges" : "elsewhere";
}

function both(
  weight: Weight,
  perItem: number,
  alone: number,
  paged: boolean,
  depth: number,
): Weight {
  return {
    once: weight.once,
    perItem: plus(weight.perItem, perItem),
    alone: plus(weight.alone, alone),
    paged: weight.paged || paged,
    depth,
  };
}
