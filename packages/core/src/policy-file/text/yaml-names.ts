import type { Alias, Document, Node, Scalar } from "yaml";
import { received } from "../../errors.ts";

/** A fault at an offset in a string. */
export interface FaultAt {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
}

/** What was found about the names in a document. */
export interface Names {
  readonly faults: readonly FaultAt[];
  /** The node of each alias; absent if there is no such anchor. */
  readonly meant: ReadonlyMap<Alias, Node>;
}

/**
 * Finds the names in a YAML document that are not strings, that read as another string than written (`1.10` as 1.1), or
 * that are duplicates in a map; merge keys; and the nodes of aliases. All in one pass: looking up each alias separately
 * would traverse the document once per alias.
 */
export function namesOf(yaml: typeof import("yaml"), read: Document): Names {
  const faults: FaultAt[] = [];
  const meant = new Map<Alias, Node>();
  /** The anchors so far: an alias refers to the latest of its name. */
  const anchors = new Map<string, Node>();
  const seen = new Map<unknown, Set<string>>();

  /** Describes a name that is not a string. */
  function otherThanText(name: unknown): string | undefined {
    if (yaml.isSeq(name)) return received(name.items);
    if (yaml.isMap(name)) return "an object";
    const { value, source = "", type, tag } = name as Scalar;
    const plain = type === yaml.Scalar.PLAIN && tag === undefined;
    // A symbol when a tag, or YAML 1.1, makes it one.
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
      // An alias without an anchor, which the parser reports.
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

/** Returns the offset where a YAML node starts. */
export function offsetOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
