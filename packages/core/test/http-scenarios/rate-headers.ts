import { ConfigError } from "../../src/errors.ts";
import { fieldsOf, type HeaderChoice, headerIssues } from "../../src/http/headers/header-choice.ts";
import { headerWriter, type WriteRateHeaders } from "../../src/http/headers/rate-headers.ts";

/** Compiles header styles and dialects as a limiter's options do; throws if two contradict each other. */
export function rateHeaders(
  choices: readonly HeaderChoice[],
  { reset }: { readonly reset: "epoch" | "delta" },
): WriteRateHeaders {
  const issues = headerIssues(choices, reset, []);
  if (issues.length > 0) throw new ConfigError(issues);
  return headerWriter(fieldsOf(choices, reset)).write;
}
