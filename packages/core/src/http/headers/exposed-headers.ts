import { fieldsOf, type HeaderChoice, namedAfter } from "./header-choice.ts";
import { policyHole } from "./header-field.ts";
import type { HeaderPair } from "./rate-headers.ts";

/** Returns the names of the headers that browser scripts must be allowed to read, Retry-After last. */
export function exposedHeaderNames(
  choices: readonly HeaderChoice[],
  policies: readonly string[] = [],
): readonly string[] {
  const names = fieldsOf(choices, "epoch").flatMap(({ name }) =>
    name.includes(policyHole) ? policies.map((policy) => namedAfter(policy, name)) : name,
  );
  return [...names, "Retry-After"];
}

/** Returns the field by which CORS lets browser scripts read these headers. */
export function exposing(names: readonly string[]): readonly HeaderPair[] {
  return [["Access-Control-Expose-Headers", names.join(", ")]];
}
