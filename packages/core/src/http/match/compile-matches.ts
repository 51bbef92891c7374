import type { Awaitable } from "../../awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { Clause } from "./clause.ts";
import { entriesOf, entryMatches, MatchInput } from "./match-entry.ts";
import type { Match } from "./match-options.ts";
import { type PathIndex, pathIndex } from "./path-index.ts";
import { pathOf } from "./target.ts";

/** Many matches, checked together; synchronously if every predicate called is. */
export interface Matching {
  /** Returns the index of the first that a request matches, or -1. */
  first(context: RequestContext): Awaitable<number>;
  /** Returns the indexes of all that a request matches, in their order. */
  all(context: RequestContext): Awaitable<readonly number[]>;
}

/**
 * Compiles matches; undefined matches every request. `path` is where the list is, such as `rules`. Throws a
 * `ConfigError` if one is invalid; checking throws or rejects if a predicate does, or returns something invalid.
 */
export function compileMatches(
  matches: readonly (Match<never> | undefined)[],
  path: string,
): Matching {
  const entries = matches.flatMap((match, rule) =>
    entriesOf(match, rule, `${path}[${rule}].match`),
  );
  const anyHost = hostIndex();
  const hosts = new Map<string, HostIndex>();
  entries.forEach(({ clause }, id) => {
    const exact = clause.hosts?.some((host) => host.startsWith("*.")) ? undefined : clause.hosts;
    if (exact === undefined) put(anyHost, clause, id);
    for (const host of exact ?? []) {
      const known = hosts.get(host) ?? hostIndex();
      hosts.set(host, known);
      put(known, clause, id);
    }
  });

  /** Returns the indexes of the entries whose path and host may match, in order; one may be repeated. */
  function candidates(asked: MatchInput): readonly number[] {
    const { context } = asked;
    const found: number[] = [];
    const emptyParams = context.framework.emptyParams === true;
    const own = hosts.size === 0 ? undefined : hosts.get(asked.hostName());
    if (anyHost.paths || own?.paths) {
      const text = pathOf(context);
      anyHost.paths?.find(text, emptyParams, found);
      own?.paths?.find(text, emptyParams, found);
    }
    inOrder(found);
    return merged(merged(found, own?.pathless ?? none), anyHost.pathless);
  }

  function firstFrom(ids: readonly number[], from: number, asked: MatchInput): Awaitable<number> {
    for (let i = from; i < ids.length; i++) {
      if (ids[i] === ids[i - 1]) continue;
      const entry = entries[ids[i]!]!;
      const fits = entryMatches(entry, asked);
      if (fits === true) return entry.rule;
      if (fits !== false) {
        return fits.then((known) => (known ? entry.rule : firstFrom(ids, i + 1, asked)));
      }
    }
    return -1;
  }

  function allFrom(
    ids: readonly number[],
    from: number,
    asked: MatchInput,
    rules: number[],
  ): Awaitable<readonly number[]> {
    for (let i = from; i < ids.length; i++) {
      const entry = entries[ids[i]!]!;
      if (ids[i] === ids[i - 1] || entry.rule === rules.at(-1)) continue;
      const fits = entryMatches(entry, asked);
      if (fits === true) rules.push(entry.rule);
      else if (fits !== false) {
        return fits.then((known) => {
          if (known) rules.push(entry.rule);
          return allFrom(ids, i + 1, asked, rules);
        });
      }
    }
    return rules;
  }

  return {
    first(context) {
      const asked = new MatchInput(context);
      return firstFrom(candidates(asked), 0, asked);
    },
    all(context) {
      const asked = new MatchInput(context);
      return allFrom(candidates(asked), 0, asked, []);
    },
  };
}

/** The entries of one host: by path, and those without one. */
interface HostIndex {
  paths: PathIndex | undefined;
  readonly pathless: number[];
}

const none: readonly number[] = [];

function hostIndex(): HostIndex {
  return { paths: undefined, pathless: [] };
}

function put(index: HostIndex, { patterns, caseSensitive }: Clause, id: number): void {
  if (!patterns) {
    index.pathless.push(id);
    return;
  }
  index.paths ??= pathIndex();
  for (const pattern of patterns) index.paths.add(pattern, caseSensitive, id);
}

/** Sorts a short list that is mostly sorted already. */
function inOrder(ids: number[]): void {
  for (let i = 1; i < ids.length; i++) {
    if (ids[i]! < ids[i - 1]!) {
      ids.sort((a, b) => a - b);
      return;
    }
  }
}

/** Merges two sorted lists, and may return either of them. */
function merged(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const all: number[] = [];
  let i = 0;
  for (const one of a) {
    while (i < b.length && b[i]! <= one) all.push(b[i++]!);
    all.push(one);
  }
  while (i < b.length) all.push(b[i++]!);
  return all;
}
