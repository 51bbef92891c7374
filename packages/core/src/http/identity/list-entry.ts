import { z } from "zod";
import type { Awaitable } from "../../awaitable.ts";
import { ConfigError, received } from "../../errors.ts";
import { isHashed, storeKey } from "../../key.ts";
import { listHint } from "../../options/expecting.ts";
import { pathText } from "../../options/path-text.ts";
import { type Cidr, parseCidr } from "../address/cidr.ts";
import { translatedIpv4 } from "../address/ipv6.ts";
import { namespaceOf } from "./namespace.ts";

/**
 * An entry of `allow` or `deny`: an address, a network or a key as returned by `keyOf`, or conditions that must all
 * hold.
 */
export type Listed<Req> = string | ListedOptions<Req>;

/** Conditions on a request, all of which must hold; at least one of `cidr`, `key` and `when`. */
export interface ListedOptions<Req> {
  /** Addresses or networks, one of which must contain the client's. */
  readonly cidr?: string | readonly string[] | undefined;
  /** Keys, one of which must be the request's in one of the policies. */
  readonly key?: string | readonly string[] | undefined;
  /** Called last; only `true` holds. */
  readonly when?: ((req: Req) => Awaitable<boolean | null | undefined>) | undefined;
  /** In `allow`: checked only for a request that would be refused. Default `false`. */
  readonly late?: boolean | undefined;
  /** Reported in the decision, as `detail`. */
  readonly reason?: string | undefined;
}

/** A compiled entry; undefined conditions ask for nothing. */
export interface ListEntry {
  readonly cidrs: readonly Cidr[] | undefined;
  readonly keys: ReadonlySet<string> | undefined;
  readonly when: ((req: unknown) => Awaitable<boolean>) | undefined;
  readonly late: boolean;
  readonly reason: string | undefined;
  readonly path: string;
}

/** Which list: only `allow` has late entries. */
type ListRole = "allow" | "deny";

/** The schema of the option `allow`. */
export const allowSchema: z.ZodType = listSchema("allow");
/** The schema of the option `deny`. */
export const denySchema: z.ZodType = listSchema("deny");

/** Compiles the entries of the list at `path`. Throws a `ConfigError` if one is invalid. */
export function entriesAt(list: unknown, role: ListRole, path: string): ListEntry[] {
  return entriesOf(list, role, path, (at, expected) => {
    const value = at.length === 0 ? list : (list as unknown[])[at[0] as number];
    throw new ConfigError([{ path: pathText(path, at), expected, received: received(value) }]);
  });
}

type Complain = (path: readonly PropertyKey[], expected: string) => void;

function listSchema(role: ListRole): z.ZodType {
  return z.unknown().superRefine((value, { addIssue }) => {
    entriesOf(value, role, "", (path, message) =>
      addIssue({ code: "custom", message, path: [...path] }),
    );
  });
}

function entriesOf(list: unknown, role: ListRole, path: string, complain: Complain): ListEntry[] {
  if (!Array.isArray(list)) {
    const hint =
      typeof list === "function"
        ? " (in a list: [{ when: … }])"
        : listHint(list, (entry) => typeof entry === "string");
    complain([], `a list of addresses, networks, keys or conditions${hint}`);
    return [];
  }
  return list.map((entry: unknown, i) => {
    const at = `${path}[${i}]`;
    const tell: Complain = (inner, expected) => complain([i, ...inner], expected);
    if (typeof entry === "string") return byText(entry, at, tell);
    return byOptions(entry, role, at, tell);
  });
}

const always = {
  cidrs: undefined,
  keys: undefined,
  when: undefined,
  late: false,
  reason: undefined,
};

function byText(text: string, path: string, complain: Complain): ListEntry {
  const cidr = clientsIn(text);
  if (typeof cidr !== "string") return { ...always, path, cidrs: [cidr] };
  if (isOurs(text)) return { ...always, path, keys: new Set([storeKey(text)]) };
  complain(
    [],
    'an address, a network such as 10.0.0.0/8, or a key as keyOf makes it; keys of your own stand in { key: "…" }',
  );
  return { ...always, path };
}

const names = ["cidr", "key", "when", "late", "reason"];

function byOptions(value: unknown, role: ListRole, path: string, complain: Complain): ListEntry {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const { cidr, key, when, late, reason } = given;
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) complain([name], `one of ${names.join(", ")}`);
  }
  if (cidr === undefined && key === undefined && when === undefined) {
    complain([], "a string, or an object with cidr, key or when");
  }
  if (when !== undefined && typeof when !== "function") complain(["when"], "a function");
  if (late !== undefined && typeof late !== "boolean") complain(["late"], "true or false");
  if (late === true && role === "deny") complain(["late"], "this only in allow");
  if (reason !== undefined && typeof reason !== "string") complain(["reason"], "a string");
  return {
    cidrs: cidr === undefined ? undefined : cidrsIn(cidr, complain),
    keys: key === undefined ? undefined : keysIn(key, complain),
    when: when as ListEntry["when"],
    late: late === true,
    reason: reason as string | undefined,
    path,
  };
}

function cidrsIn(value: unknown, complain: Complain): Cidr[] {
  const texts: unknown[] = [value].flat();
  if (texts.length === 0) complain(["cidr"], "a network, or a list of them that is not empty");
  return texts.flatMap((text, i) => {
    const cidr = typeof text === "string" ? clientsIn(text) : "";
    if (typeof cidr !== "string") return [cidr];
    complain(
      Array.isArray(value) ? ["cidr", i] : ["cidr"],
      "an address, or a network such as 10.0.0.0/8",
    );
    return [];
  });
}

/**
 * Parses a network. An address behind a translator (RFC 6052) is the client's IPv4 address, as for identifying clients.
 */
function clientsIn(text: string): Cidr | string {
  const cidr = parseCidr(text);
  if (typeof cidr === "string" || cidr.family !== 6 || cidr.prefix < 128) return cidr;
  const bits = translatedIpv4(cidr.network);
  return bits < 0 ? cidr : { family: 4, network: bits, mask: 0xffff_ffff };
}

function keysIn(value: unknown, complain: Complain): ReadonlySet<string> {
  const texts: unknown[] = [value].flat();
  if (texts.length === 0) complain(["key"], "a key, or a list of them that is not empty");
  const keys = texts.flatMap((text, i) => {
    if (typeof text === "string" && text !== "") return [storeKey(text)];
    complain(Array.isArray(value) ? ["key", i] : ["key"], "a non-empty string");
    return [];
  });
  return new Set(keys);
}

/** Whether a string is a key that an extractor makes, and cannot mean anything else. */
function isOurs(text: string): boolean {
  const namespace = namespaceOf(text);
  if (namespace !== undefined) return text.length > namespace.length + 1;
  return text === "everyone" || isHashed(text);
}
