import { ConfigError, received } from "../../errors.ts";
import { storeKey } from "../../key.ts";
import { checkOptions } from "../../options/check-options.ts";
import { parseAddress } from "../address/address.ts";
import { addressKey } from "../request-context.ts";
import { apiKeyKey } from "./api-key.ts";
import { claimPrefix } from "./claim-prefix.ts";
import type { IpOptions } from "./extractors.ts";
import { fieldName } from "./header-text.ts";
import { joinedKey } from "./joined-key.ts";
import { keyPrefix } from "./namespace.ts";
import { defaultIpv6Prefix, prefixesSchema } from "./prefixes.ts";

/** Returns the keys of clients' requests, to read or reset them by hand. */
export const keyOf: {
  /**
   * The key of an address, masked: IPv4 by `ipv4Prefix`, default 32, IPv6 by `ipv6Prefix`, default 64. An invalid
   * address, and undefined, give the key that all requests without an address share.
   */
  ip(text: string | undefined, options?: IpOptions): string;
  /** The key of a user's id. */
  user(id: string): string;
  /** The key of an API key, hashed. */
  apiKey(text: string): string;
  /** The key of what a header field says, by `header(name)`. */
  header(name: string, value: string): string;
  /** The key of what a claim says, by `jwtClaim(name)`. */
  jwtClaim(name: string, value: string): string;
  /** The key that `join` gives for two keys or more, in the order of its parts: each as given here, or by a function. */
  join(...keys: string[]): string;
} = {
  ip(text, options = {}) {
    const { ipv4Prefix, ipv6Prefix = defaultIpv6Prefix } = checkOptions(prefixesSchema, options);
    if (text !== undefined && typeof text !== "string") throw wrong("ip(text)", "a string", text);
    return addressKey(parseAddress(text), ipv6Prefix, ipv4Prefix);
  },
  user: (id) => storeKey(keyPrefix("user") + filled(id, "user(id)")),
  apiKey: (text) => apiKeyKey(filled(text, "apiKey(text)")),
  header(name, value) {
    const prefix = keyPrefix("header", fieldName(name, "keyOf.header(name)"));
    return storeKey(prefix + filled(value, "header(value)"));
  },
  jwtClaim: (name, value) =>
    storeKey(claimPrefix(name, "keyOf.jwtClaim(name)") + filled(value, "jwtClaim(value)")),
  join(...keys) {
    if (keys.length < 2) throw wrong("join(keys)", "two keys or more", keys);
    return storeKey(joinedKey(keys.map((key, i) => filled(key, `join(keys)[${i}]`))));
  },
};

function filled(text: unknown, argument: string): string {
  if (typeof text === "string" && text !== "") return text;
  throw wrong(argument, "a non-empty string", text);
}

function wrong(argument: string, expected: string, value: unknown): ConfigError {
  return new ConfigError([{ path: `keyOf.${argument}`, expected, received: received(value) }]);
}
