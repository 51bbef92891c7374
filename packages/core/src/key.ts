import { hash } from "node:crypto";
import { ConfigError, received } from "./errors.ts";

/** The longest key stored unchanged, in characters, and the characters that require a hash. */
const maxPlainKey = 200;
const unprintable = /[^\x20-\x7e]/;

/**
 * Returns the key that stores see: the string, or `#` plus its SHA-256 if it is long or not printable ASCII, so that no
 * store or log contains arbitrary client text. Existing hashes pass unchanged, because hooks and `keyOf` expose them:
 * never pass a string chosen by a client without a prefix; extractors add a namespace or `text:`. Throws a
 * `ConfigError` for anything but a non-empty string.
 */
export function storeKey(key: unknown): string {
  if (typeof key !== "string" || key === "") {
    const hint = typeof key === "number" ? " (convert numbers: String(id))" : "";
    const expected = `a non-empty string${hint}`;
    throw new ConfigError([{ path: "key", expected, received: received(key) }]);
  }
  const plain = key.length <= maxPlainKey && !unprintable.test(key);
  return plain && (!key.startsWith("#") || isHashed(key)) ? key : `#${digest(key)}`;
}

/** Whether a key is the hash of another. */
export function isHashed(key: string): boolean {
  return /^#[-\w]{43}$/.test(key);
}

/**
 * Returns the SHA-256 of a string's UTF-16 code units (so that no two strings share one): 43 characters of base64url.
 */
export function digest(text: string): string {
  return hash("sha256", Buffer.from(text, "utf16le"), "base64url");
}
