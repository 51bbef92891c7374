import { z } from "zod";
import { listHint } from "../../options/expecting.ts";

/**
 * Makes the schema of a value, or of a list of them that is not empty and whose entries are named one by one. `hint` says
 * more of what does not fit.
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
