import { checkOptions } from "../../options/check-options.ts";
import { expecting } from "../../options/expecting.ts";

/**
 * Checks the name of something in requests; `at` is the argument it is, such as `header(name)`. Throws a `ConfigError`
 * if it is not a string that `fits`.
 */
export function checkName(
  name: unknown,
  at: string,
  expected: string,
  fits: (name: string) => boolean = isEncodable,
): void {
  const schema = expecting(expected, (value) => typeof value === "string" && fits(value));
  checkOptions(schema, name, at);
}

/** A lone surrogate cannot be encoded as UTF-8. */
function isEncodable(name: string): boolean {
  return name !== "" && !/\p{Surrogate}/u.test(name);
}
