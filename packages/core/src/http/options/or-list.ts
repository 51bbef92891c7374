import { z } from "zod";
import { listHint } from "../../options/expecting.ts";

/**
 * Creates the schema of a value, or of a non-empty list of them whose invalid entries are reported one by one. `hint`
 * adds advice on an invalid value.
 */
export function orList(
  expected: string,
  fits: (value: unknown) => boolean,
  expectedEntry: string,
  fitsEntry: (entry: unknown) => boolean,
  hint: (value: unknown) => string = () => "",
): z.ZodType {
  return z.unknown().superRefine((value, { addIssue }) => {
    if (!Array.isArray(value) || value.length === 0) {
      if (fits(value)) return;
      const more = hint(value) || listHint(value, fitsEntry);
      addIssue({ code: "custom", message: expected + more });
      return;
    }
    value.forEach((entry, i) => {
      if (fitsEntry(entry)) return;
      addIssue({ code: "custom", message: expectedEntry + hint(entry), path: [i] });
    });
  });
}
