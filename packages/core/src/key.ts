import { hash } from "node:crypto";
import { ConfigError, received } from "./errors.ts";

/** The longest key that is kept as it is, in characters; and what may not stand in it. */
const maxPlainKey = 200;
const unprintable = /[^\x20-\x7e]/;

/**
 * Makes the key that stores see: the text itself, or `#` and its SHA-256 where it is long or holds anything but
 * printable ASCII, so that neither a store nor a log ever meets what a client made up. What is such a hash already stays
 * what it is, since hooks and `keyOf` tell it: so a string that a client chose must not come here bare, and extractors put
 * a namespace or `text:` before it. Throws a `ConfigError` for anything but a non-empty string.
 */
export function storeKey(key: unknown): string {
  if (typeof key !== "string" || key === "") {
    const expected = "a non-empty string";
    throw new ConfigError([{ path: "key", expected, received: received(key) }]);
  }
  const plain = key.length <= maxPlainKey && !unprintable.test(key);
  return plain && (!key.startsWith("#") || isHashed(key)) ? key : `#${digest(key)}`;
}

/** Whether a key is the hash of another. */
export function isHashed(key: string): boolean {
  return /^#[-\w]{43}$/.test(key);
}

/** SHA-256 of a string's UTF-16 code units, so that no two texts share one: 43 characters of base64url. */
export function digest(text: string): string {
  return hash("sha256", Buffer.from(text, "utf16le"), "base64url");
}
