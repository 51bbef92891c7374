import type { Alias, Document, Node, Scalar } from "yaml";
import { received } from "../../errors.ts";

/** What is wrong at an offset into a string. */
export interface FaultAt {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
}

/** What is to be said of the names in a document. */
export interface Names {
  readonly faults: readonly FaultAt[];
  /** What each alias stands for; nothing where there is no such anchor. */
  readonly meant: ReadonlyMap<Alias, Node>;
}

/**
 * Finds the names of a YAML document that are no texts, that would be read as another text than stands there (`1.10`
 * as 1.1), or that stand twice in a map; merge keys; and what aliases mean, all in one pass: to look up each alias by
 * itself is to go through the document once for each.
 */
export function namesOf(yaml: typeof import("yaml"), read: Document): Names {
  const faults: FaultAt[] = [];
  const meant = new Map<Alias, Node>();
  /** As they stand so far: an alias means the latest of its name. */
  const anchors = new Map<string, Node>();
  const seen = new Map<unknown, Set<string>>();

  /** What arrived in place of a string. */
  function otherThanText(name: unknown): string | undefined {
    if (yaml.isSeq(name)) return received(name.items);
    if (yaml.isMap(name)) return "an object";
    const { value, source = "", type, tag } = name as Scalar;
    const plain = type === yaml.Scalar.PLAIN && tag === undefined;
    // a symbol where a tag, or YAML 1.1, makes it one
    if (typeof value === "symbol" || (plain && value === "<<")) return mergeKey;
    if (typeof value === "string" || (typeof value !== "object" && String(value) === source))
      return undefined;
    const kind = typeof value === "number" ? "the number " : "";
    return `${kind}${received(value)}: quote it (${received(source)})`;
  }

  yaml.visit(read, {
    Node(_, node) {
      if (yaml.isAlias(node)) {
        const anchored = anchors.get(node.source);
        if (anchored) meant.set(node, anchored);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
    Pair(_, { key }, path) {
      const name = yaml.isAlias(key) ? anchors.get(key.source) : key;
      // an alias of nothing, of which the reader tells
      if (name === undefined) return;
      const offset = offsetOf(key) ?? 0;
      const other = otherThanText(name);
      if (other !== undefined) {
        faults.push({ offset, expected: "a string as the name", received: other });
        return;
      }
      const map = path.at(-1);
      const names = seen.get(map) ?? new Set();
      const text = String((name as Scalar).value);
      if (names.has(text) && yaml.isMap(map)) {
        faults.push({ offset, expected: "each name once", received: `${received(text)} again` });
      }
      seen.set(map, names.add(text));
    },
  });
  return { faults, meant };
}

const mergeKey = "a merge key: << is not supported (anchors and aliases as values are)";

/** Where a node of YAML begins. */
export function offsetOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
