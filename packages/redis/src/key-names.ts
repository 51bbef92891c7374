import { hash } from "node:crypto";
import { defaultPolicyName, type Policy } from "@spillway/core";

/** Returns the Redis key of a policy and an identity. */
export type KeyNames = (policy: Policy, key: string) => string;

/** The version of the layout of keys and states; a later version starts with new keys beside these. */
const format = 1;

/** The longest part that is kept as it is, characters; a longer one is hashed. */
const maxPlain = 200;

/** A letter for each kind of state, after a `b` if it records bans; other kinds are spelled out. */
const letters: Readonly<Record<string, string>> = {
  "sliding-window": "w",
  "fixed-window": "f",
  "sliding-log": "l",
  "token-bucket": "t",
  "leaky-bucket": "q",
};

/**
 * Creates names such as `rl:1w:login{user:42}`: the prefix, the format, the kind of state, the policy unless it is
 * unnamed, and the identity as the hash tag, so that the charges of one identity share a cluster slot and identities
 * spread. No two policies and identities share a name, whatever characters they contain.
 */
export function keyNames(prefix: string): KeyNames {
  const heads = new WeakMap<Policy, string>();
  return (policy, key) => {
    const known = heads.get(policy);
    const head = known ?? prefix + headOf(policy);
    if (known === undefined) heads.set(policy, head);
    return `${head}{${plain.test(key) && key.length <= maxPlain ? key : escaped(key)}}`;
  };
}

const plain = /^[\x21-\x24\x26-\x7a\x7c\x7e]+$/;

function headOf({ kind, space }: Policy): string {
  return `${format}${codeOf(kind)}${space === defaultPolicyName ? "" : `:${escaped(space)}`}`;
}

/** Shortens a kind: `sliding-window/1` to `w`, `ban+sliding-window/5` to `bw5`. */
function codeOf(kind: string): string {
  const bans = kind.startsWith("ban+");
  const [name = "", variant = "1", ...more] = (bans ? kind.slice("ban+".length) : kind).split("/");
  const letter = letters[name];
  if (letter === undefined || more.length > 0) return `-${escaped(kind)}`;
  return `${bans ? "b" : ""}${letter}${variant === "1" ? "" : variant}`;
}

/** Encodes what a key cannot contain, and hashes long strings; `%` begins nothing else. */
function escaped(text: string): string {
  if (text === "") return "%";
  if (text.length > maxPlain) return `%h${digest(text)}`;
  const spelled = text.replace(/[^\x21-\x24\x26-\x7a\x7c\x7e]/g, (c) => {
    return `%${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return spelled.length > 2 * maxPlain ? `%h${digest(text)}` : spelled;
}

/** Hashes UTF-16 code units, so that lone surrogates differ too. */
function digest(text: string): string {
  return hash("sha256", Buffer.from(text, "utf16le"), "base64url");
}
