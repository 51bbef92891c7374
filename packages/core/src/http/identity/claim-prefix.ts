import { checkName } from "./check-name.ts";
import { keyPrefix } from "./namespace.ts";

/**
 * Returns what the keys of a claim begin with; `at` is the argument that names it, such as `jwtClaim(name)`. Throws a
 * `ConfigError` for what cannot be a name.
 */
export function claimPrefix(name: string, at: string): string {
  checkName(name, at, "the name of a claim");
  return keyPrefix("claim", encodeURIComponent(name));
}
