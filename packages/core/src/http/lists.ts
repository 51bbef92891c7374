import { z } from "zod";
import { type Awaitable, settled } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";
import { storeKey } from "../key.ts";
import { truthOf } from "../truth.ts";
import type { Call } from "./call.ts";
import { type Cidr, parseCidr } from "./cidr.ts";
import { type CidrSet, cidrSet } from "./cidr-set.ts";

/**
 * An entry of `allow` or `deny`: an address, a network or a key such as `keyOf` makes them, or conditions that must
 * all hold.
 */
export type Listed<Req> = string | ListedOptions<Req>;

export interface ListedOptions<Req> {
  /** Addresses or networks, one of which must hold the client's. */
  readonly cidr?: string | readonly string[] | undefined;
  /** Keys, one of which must be the request's in one of the policies. */
  readonly key?: string | readonly string[] | undefined;
  /** Asked last; only `true` holds. */
  readonly when?: ((req: Req) => Awaitable<boolean>) | undefined;
  /** In `allow`: looked up only for a request that would be refused. Default `false`. */
  readonly late?: boolean | undefined;
  /** What the decision says of it, as `detail`. */
  readonly reason?: string | undefined;
}

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

/** The schemas of the options. */
export const allowField: z.ZodType = listField(true);
export const denyField: z.ZodType = listField(false);

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

/** What an entry asks for; undefined: nothing. */
interface Entry {
  readonly cidrs: readonly Cidr[] | undefined;
  readonly keys: ReadonlySet<string> | undefined;
  readonly when: ((req: unknown) => Awaitable<boolean>) | undefined;
  readonly late: boolean;
  readonly reason: string | undefined;
  readonly path: string;
}

/** Asks what costs least first: addresses, then keys, then what takes more than one of them or a function. */
function listOf(entries: readonly Entry[], list: "allow" | "deny"): Find | undefined {
  if (entries.length === 0) return undefined;
  const answers = entries.map(({ reason }): ListAnswer => Object.freeze({ list, reason }));
  const networks = networksOf(entries);
  const owners = new Map<string, number>();
  const rest: (readonly [Entry, CidrSet | undefined, id: number])[] = [];
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

function networksOf(entries: readonly Entry[]): CidrSet | undefined {
  const networks = entries.flatMap(({ cidrs, keys, when }, id) =>
    cidrs && !keys && !when ? cidrs.map((cidr) => [cidr, id] as const) : [],
  );
  return networks.length === 0 ? undefined : cidrSet(networks);
}

/** Of an entry whose address fits. */
function heldBy({ keys, when, path }: Entry, call: Call, keysOf: KeysOf): Awaitable<boolean> {
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

type Complain = (path: readonly PropertyKey[], expected: string) => void;

function listField(allowsLate: boolean): z.ZodType {
  return z.unknown().superRefine((value, { addIssue }) => {
    entriesOf(value, allowsLate, "", (path, message) =>
      addIssue({ code: "custom", message, path: [...path] }),
    );
  });
}

function entriesAt(list: unknown, allowsLate: boolean, path: string): Entry[] {
  return entriesOf(list, allowsLate, path, (at, expected) => {
    const where = at.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
    const value = at.length === 0 ? list : (list as unknown[])[at[0] as number];
    throw new ConfigError([{ path: path + where.join(""), expected, received: received(value) }]);
  });
}

function entriesOf(list: unknown, allowsLate: boolean, path: string, complain: Complain): Entry[] {
  if (!Array.isArray(list)) {
    complain([], "a list of addresses, networks, keys or conditions");
    return [];
  }
  return list.map((entry: unknown, i) => {
    const at = `${path}[${i}]`;
    const tell: Complain = (inner, expected) => complain([i, ...inner], expected);
    if (typeof entry === "string") return byText(entry, at, tell);
    return byOptions(entry, allowsLate, at, tell);
  });
}

const always = {
  cidrs: undefined,
  keys: undefined,
  when: undefined,
  late: false,
  reason: undefined,
};

function byText(text: string, path: string, complain: Complain): Entry {
  const cidr = parseCidr(text);
  if (typeof cidr !== "string") return { ...always, path, cidrs: [cidr] };
  if (ours.test(text)) return { ...always, path, keys: new Set([named(text)]) };
  complain(
    [],
    'an address, a network such as 10.0.0.0/8, or a key as keyOf makes it; keys of your own stand in { key: "…" }',
  );
  return { ...always, path };
}

const names = ["cidr", "key", "when", "late", "reason"];

function byOptions(value: unknown, allowsLate: boolean, path: string, complain: Complain): Entry {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const { cidr, key, when, late, reason } = given;
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) complain([name], `one of ${names.join(", ")}`);
  }
  if (cidr === undefined && key === undefined && when === undefined) {
    complain([], "a text, or an object with cidr, key or when");
  }
  if (when !== undefined && typeof when !== "function") complain(["when"], "a function");
  if (late !== undefined && typeof late !== "boolean") complain(["late"], "true or false");
  if (late === true && !allowsLate) complain(["late"], "this only in allow");
  if (reason !== undefined && typeof reason !== "string") complain(["reason"], "a text");
  return {
    cidrs: cidr === undefined ? undefined : cidrsIn(cidr, complain),
    keys: key === undefined ? undefined : keysIn(key, complain),
    when: when as Entry["when"],
    late: late === true,
    reason: reason as string | undefined,
    path,
  };
}

function cidrsIn(value: unknown, complain: Complain): Cidr[] {
  const texts: unknown[] = [value].flat();
  if (texts.length === 0) complain(["cidr"], "a network, or a list of them that is not empty");
  return texts.flatMap((text, i) => {
    const cidr = typeof text === "string" ? parseCidr(text) : "";
    if (typeof cidr !== "string") return [cidr];
    complain(
      Array.isArray(value) ? ["cidr", i] : ["cidr"],
      "an address, or a network such as 10.0.0.0/8",
    );
    return [];
  });
}

function keysIn(value: unknown, complain: Complain): ReadonlySet<string> {
  const texts: unknown[] = [value].flat();
  if (texts.length === 0) complain(["key"], "a key, or a list of them that is not empty");
  const keys = texts.flatMap((text, i) => {
    if (typeof text === "string" && text !== "") return [named(text)];
    complain(Array.isArray(value) ? ["key", i] : ["key"], "a text that is not empty");
    return [];
  });
  return new Set(keys);
}

/** What begins like a key of an extractor's. */
const ours =
  /^(?:ip|user|key|header|claim|cookie|query|agent|route|join|text):.|^everyone$|^#[-\w]{43}$/;

/** The key as stores see it, which is what a hashed one is already. */
function named(key: string): string {
  return /^#[-\w]{43}$/.test(key) ? key : storeKey(key);
}
