import { type Awaitable, settled } from "../awaitable.ts";
import { truthOf } from "../truth.ts";
import type { Call } from "./call.ts";
import { type CidrSet, cidrSet } from "./cidr-set.ts";
import { entriesAt, type ListEntry, type Listed } from "./list-entry.ts";

/** The list that a request stands on. */
export interface ListAnswer {
  readonly list: "allow" | "deny";
  readonly reason: string | undefined;
}

/** Gives the keys that a request has in the policies, asked at most once, and only where an entry names one. */
export type KeysOf = () => Awaitable<readonly string[]>;

/** Compiled lists. Asking throws or rejects where a predicate does, or answers nonsense. */
export interface Lists {
  /** Whether there are entries for `lateAllow`. */
  readonly late: boolean;
  /** Before anything is charged; who stands on both lists is allowed. */
  before(call: Call, keys: KeysOf): Awaitable<ListAnswer | undefined>;
  /** For a request that would be refused. */
  lateAllow(call: Call, keys: KeysOf): Awaitable<ListAnswer | undefined>;
}

/**
 * Compiles the options `allow` and `deny`, which stand under `path`, such as `""`; undefined where there is no entry.
 * Throws a `ConfigError` where one is wrong.
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
  const allowed = entriesAt(allow, true, `${path}allow`);
  const denied = listOf(entriesAt(deny, false, `${path}deny`), "deny");
  const early = listOf(
    allowed.filter(({ late }) => !late),
    "allow",
  );
  const late = listOf(
    allowed.filter(({ late }) => late),
    "allow",
  );
  if (!early && !denied && !late) return undefined;
  return {
    late: late !== undefined,
    before(call, given) {
      const keys = onceOf(given);
      const deny = (): ReturnType<Find> => {
        if (!denied || !late) return denied?.(call, keys);
        return settled(denied(call, keys), (found) =>
          found ? settled(late(call, keys), (kept) => kept ?? found) : undefined,
        );
      };
      if (!early) return deny();
      return settled(early(call, keys), (found) => found ?? deny());
    },
    lateAllow: (call, given) => late?.(call, onceOf(given)),
  };
}

type Find = (call: Call, keys: KeysOf) => Awaitable<ListAnswer | undefined>;

/** Asks what costs least first: addresses, then keys, then what takes more than one of them or a function. */
function listOf(entries: readonly ListEntry[], list: "allow" | "deny"): Find | undefined {
  if (entries.length === 0) return undefined;
  const answers = entries.map(({ reason }): ListAnswer => Object.freeze({ list, reason }));
  const networks = networksOf(entries);
  const owners = new Map<string, number>();
  const rest: (readonly [ListEntry, CidrSet | undefined, id: number])[] = [];
  entries.forEach((entry, id) => {
    const { cidrs, keys, when } = entry;
    if (when || (cidrs && keys)) {
      rest.push([entry, cidrs && cidrSet(cidrs.map((cidr) => [cidr, 0] as const)), id]);
    } else for (const key of keys ?? []) if (!owners.has(key)) owners.set(key, id);
  });

  function byKey(keys: readonly string[]): number {
    let least = -1;
    for (const key of keys) {
      const id = owners.get(key) ?? -1;
      if (id >= 0 && (least < 0 || id < least)) least = id;
    }
    return least;
  }

  function restFrom(from: number, call: Call, keys: KeysOf): Awaitable<number> {
    for (let i = from; i < rest.length; i++) {
      const [entry, cidrs, id] = rest[i]!;
      const address = cidrs && call.address();
      if (cidrs && (address === undefined || cidrs.find(address) < 0)) continue;
      const holds = heldBy(entry, call, keys);
      if (holds === true) return id;
      if (holds !== false) return holds.then((held) => (held ? id : restFrom(i + 1, call, keys)));
    }
    return -1;
  }

  return (call, keys) => {
    const address = networks && call.address();
    const known = address === undefined ? -1 : networks!.find(address);
    if (known >= 0) return answers[known];
    const owned = owners.size === 0 ? -1 : settled(keys(), byKey);
    return settled(owned, (id) =>
      id >= 0 ? answers[id] : settled(restFrom(0, call, keys), (last) => answers[last]),
    );
  };
}

function networksOf(entries: readonly ListEntry[]): CidrSet | undefined {
  const networks = entries.flatMap(({ cidrs, keys, when }, id) =>
    cidrs && !keys && !when ? cidrs.map((cidr) => [cidr, id] as const) : [],
  );
  return networks.length === 0 ? undefined : cidrSet(networks);
}

/** Of an entry whose address fits. */
function heldBy({ keys, when, path }: ListEntry, call: Call, keysOf: KeysOf): Awaitable<boolean> {
  const ask = (): Awaitable<boolean> =>
    when ? settled(when(call.req), (value: unknown) => truthOf(value, `${path}.when`)) : true;
  return keys ? settled(keysOf(), (own) => own.some((key) => keys.has(key)) && ask()) : ask();
}

function onceOf(keys: KeysOf): KeysOf {
  let known: Awaitable<readonly string[]> | undefined;
  return () => {
    known ??= keys();
    return known;
  };
}
