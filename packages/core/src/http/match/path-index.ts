import { decoded, folded, pathSegments } from "./path-segments.ts";
import type { Pattern } from "./pattern.ts";

/** Many patterns as a tree of their segments, so that a path is only compared with those that begin as it does. */
export interface PathIndex {
  /** Adds a pattern and the number for `find` to return. */
  add(pattern: Pattern, caseSensitive: boolean, id: number): void;
  /**
   * Appends the numbers of the patterns that a path matches, in no order; one may be repeated. With `emptyParams` a
   * `:name` also matches an empty segment, as in some routers.
   */
  find(path: string, emptyParams: boolean, into: number[]): void;
}

/** Creates an empty index. */
export function pathIndex(): PathIndex {
  const root = emptyNode();
  let deepest = 0;
  let exacts = false;

  function put(literals: readonly (string | null)[], rest: boolean, end: End): void {
    let node = root;
    for (const literal of literals)
      node = literal === null ? paramOf(node) : childOf(node, literal);
    (rest ? node.rests : node.ends).push(end);
    exacts ||= end.exact !== undefined;
    deepest = Math.max(deepest, literals.length);
  }

  return {
    add({ segments, rest }, caseSensitive, id) {
      // Routers differ in whether they decode percent-encoding in their own patterns.
      const read = segments.map((text) => text && decoded(text));
      const both = read.some((text, i) => text !== segments[i]) ? [read, segments] : [segments];
      for (const texts of both) {
        const exact = caseSensitive ? texts : undefined;
        put(
          texts.map((text) => text && folded(text)),
          rest,
          { id, exact },
        );
      }
    },

    find(path, emptyParams, into) {
      walk(path, false, into);
      if (emptyParams && (path.endsWith("/") || path.includes("//"))) walk(path, true, into);
    },
  };

  function walk(path: string, keepEmpty: boolean, into: number[]): void {
    const most = deepest + 1;
    // Folding the whole path at once is faster, but decoding must come first.
    if (!exacts && !path.includes("%")) {
      const texts = pathSegments(folded(path), most, keepEmpty);
      collect(root, texts, 0, texts, into);
    } else {
      const sent = pathSegments(path, most, keepEmpty);
      collect(root, sent.map(folded), 0, sent, into);
    }
  }
}

/** Where a pattern ends. */
interface End {
  readonly id: number;
  /** The literals that must have exactly this case; undefined for any case. */
  readonly exact: readonly (string | null)[] | undefined;
}

interface Node {
  readonly literals: Map<string, Node>;
  param: Node | undefined;
  readonly ends: End[];
  readonly rests: End[];
}

function emptyNode(): Node {
  return { literals: new Map(), param: undefined, ends: [], rests: [] };
}

function paramOf(node: Node): Node {
  node.param ??= emptyNode();
  return node.param;
}

function childOf({ literals }: Node, literal: string): Node {
  const child = literals.get(literal) ?? emptyNode();
  literals.set(literal, child);
  return child;
}

/** Visits no node twice, whatever the path. */
function collect(
  { literals, param, ends, rests }: Node,
  texts: readonly string[],
  at: number,
  sent: readonly string[],
  into: number[],
): void {
  for (const end of rests) take(end, sent, into);
  if (at === texts.length) {
    for (const end of ends) take(end, sent, into);
    return;
  }
  const next = literals.get(texts[at]!);
  if (next) collect(next, texts, at + 1, sent, into);
  if (param) collect(param, texts, at + 1, sent, into);
}

function take({ id, exact }: End, sent: readonly string[], into: number[]): void {
  if (exact?.every((text, i) => text === null || text === sent[i]) ?? true) into.push(id);
}
