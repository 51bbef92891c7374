import { checkOptions } from "../../options/check-options.ts";
import { expecting } from "../../options/expecting.ts";

/**
 * Checks the name of something that requests carry, an argument that is called `at`, such as `header(name)`. Throws a
 * `ConfigError` for what is no text, or one that `fits` does not take.
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

/** Of half a character no UTF-8 can be made. */
function isEncodable(name: string): boolean {
  return name !== "" && !/\p{Surrogate}/u.test(name);
}
