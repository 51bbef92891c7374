import { type Awaitable, firstOf, settled } from "../../awaitable.ts";
import { truthOf } from "../../truth.ts";
import { type CidrSet, cidrSet } from "../address/cidr-set.ts";
import { addressKey, type RequestContext } from "../request-context.ts";
import { entriesAt, type ListEntry, type Listed } from "./list-entry.ts";
import { namespaceOf } from "./namespace.ts";

/** The list that a request is on. */
export interface ListAnswer {
  readonly list: "allow" | "deny";
  readonly reason: string | undefined;
  /** For `deny`: the key that is denied, or that of the client's address; else "". */
  readonly key: string;
}

/** Returns a request's keys in the policies; called at most once, and only if an entry names a key. */
export type KeysOf = () => Awaitable<readonly string[]>;

/** Compiled lists. Lookups throw or reject if a predicate does, or returns something invalid. */
export interface Lists {
  /** Whether there are entries for `lateAllow`. */
  readonly late: boolean;
  /** Whether an entry may name a key of a namespace; undefined asks for any key. */
  mayName(namespace: string | undefined): boolean;
  /** Checks a request before it is charged. On both lists means allowed. */
  before(context: RequestContext, keys: KeysOf): Awaitable<ListAnswer | undefined>;
  /** Checks a request that would be refused. */
  lateAllow(context: RequestContext, keys: KeysOf): Awaitable<ListAnswer | undefined>;
}

/**
 * Compiles the options `allow` and `deny`, which are at `path`, such as `""`; undefined if there is no entry. Throws a
 * `ConfigError` if one is invalid.
 */
export function compileLists(
  {
    allow = [],
    deny = [],
  }: {
    readonly allow?: readonly Listed<never>[] | undefined;
    readonly deny?: readonly Listed<never>[] | undefined;
  },
  path: string,
): Lists | undefined {
  const allowed = entriesAt(allow, "allow", `${path}allow`);
  const refused = entriesAt(deny, "deny", `${path}deny`);
  const denied = listOf(refused, "deny");
  const early = listOf(
    allowed.filter(({ late }) => !late),
    "allow",
  );
  const late = listOf(
    allowed.filter(({ late }) => late),
    "allow",
  );
  if (!early && !denied && !late) return undefined;
  const keys = [...allowed, ...refused].flatMap((entry) => [...(entry.keys ?? [])]);
  const namespaces = new Set<string | undefined>(keys.map(namespaceOf));
  // A key hashed as a whole may be of any namespace.
  const hashed = keys.some((key) => key.startsWith("#"));
  return {
    late: late !== undefined,
    mayName: (namespace) =>
      namespace === undefined
        ? keys.length > 0
        : namespaces.has(namespace) ||
          hashed ||
          (namespace === "text" && namespaces.has(undefined)),
    before(context, given) {
      const keys = onceOf(given);
      const deny = (): ReturnType<Find> => {
        if (!denied || !late) return denied?.(context, keys);
        return settled(denied(context, keys), (found) =>
          found ? settled(late(context, keys), (kept) => kept ?? found) : undefined,
        );
      };
      if (!early) return deny();
      return settled(early(context, keys), (found) => found ?? deny());
    },
    lateAllow: (context, given) => late?.(context, onceOf(given)),
  };
}

type Find = (context: RequestContext, keys: KeysOf) => Awaitable<ListAnswer | undefined>;

/** Compiles a list that checks the cheapest first: addresses, then keys, then several conditions or a function. */
function listOf(entries: readonly ListEntry[], list: "allow" | "deny"): Find | undefined {
  if (entries.length === 0) return undefined;
  const answers = entries.map(({ reason }): ListAnswer => Object.freeze({ list, reason, key: "" }));
  const networks = networksOf(entries);
  const owners = new Map<string, number>();
  const rest: (readonly [ListEntry, CidrSet | undefined, id: number])[] = [];
  entries.forEach((entry, id) => {
    const { cidrs, keys, when } = entry;
    if (when || (cidrs && keys)) {
      rest.push([entry, cidrs && cidrSet(cidrs.map((cidr) => [cidr, 0] as const)), id]);
    } else for (const key of keys ?? []) if (!owners.has(key)) owners.set(key, id);
  });

  function answer(id: number, context: RequestContext, key: string | undefined): ListAnswer {
    const known = answers[id]!;
    if (list === "allow") return known;
    return { ...known, key: key ?? addressKey(context.address(), context.ipv6Prefix) };
  }

  function byKey(keys: readonly string[], context: RequestContext): ListAnswer | undefined {
    let [least, owned] = [-1, ""];
    for (const key of keys) {
      const id = owners.get(key) ?? -1;
      if (id >= 0 && (least < 0 || id < least)) [least, owned] = [id, key];
    }
    return least < 0 ? undefined : answer(least, context, owned);
  }

  function firstOfRest(context: RequestContext, keys: KeysOf): ReturnType<Find> {
    return firstOf(rest, ([entry, cidrs, id]) => {
      const address = cidrs && context.address();
      if (cidrs && (address === undefined || cidrs.find(address) < 0)) return undefined;
      return settled(heldBy(entry, context, keys), (held) => held && answer(id, context, held.key));
    });
  }

  return (context, keys) => {
    const address = networks && context.address();
    const known = address === undefined ? -1 : networks!.find(address);
    if (known >= 0) return answer(known, context, undefined);
    if (owners.size === 0) return firstOfRest(context, keys);
    return settled(keys(), (own) => byKey(own, context) ?? firstOfRest(context, keys));
  };
}

function networksOf(entries: readonly ListEntry[]): CidrSet | undefined {
  const networks = entries.flatMap(({ cidrs, keys, when }, id) =>
    cidrs && !keys && !when ? cidrs.map((cidr) => [cidr, id] as const) : [],
  );
  return networks.length === 0 ? undefined : cidrSet(networks);
}

/** What matched an entry. */
interface Held {
  readonly key: string | undefined;
}

/** Checks the rest of an entry whose address matches. */
function heldBy(
  { keys, when, path }: ListEntry,
  context: RequestContext,
  keysOf: KeysOf,
): Awaitable<Held | undefined> {
  const ask = (held: Held): Awaitable<Held | undefined> =>
    when
      ? settled(when(context.req), (value: unknown) =>
          truthOf(value, `${path}.when`) ? held : undefined,
        )
      : held;
  if (!keys) return ask({ key: undefined });
  return settled(keysOf(), (own) => {
    const key = own.find((one) => keys.has(one));
    return key === undefined ? undefined : ask({ key });
  });
}

function onceOf(keys: KeysOf): KeysOf {
  let known: Awaitable<readonly string[]> | undefined;
  return () => {
    known ??= keys();
    return known;
  };
}
