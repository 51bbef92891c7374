import { fieldsOf, type HeaderChoice, stylesProblem } from "../../src/http/header-choice.ts";
import { headerWriter, type WriteRateHeaders } from "../../src/http/rate-headers.ts";

/** Compiles header styles and dialects as a limiter's options do; throws where two contradict each other. */
export function rateHeaders(
  choices: readonly HeaderChoice[],
  { reset }: { readonly reset: "epoch" | "delta" },
): WriteRateHeaders {
  const problem = stylesProblem(choices, reset);
  if (problem !== undefined) throw new RangeError(problem);
  return headerWriter(fieldsOf(choices, reset)).write;
}
