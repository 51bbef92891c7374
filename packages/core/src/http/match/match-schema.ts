import { z } from "zod";
import { clausesOf } from "./clause.ts";

/** The schema of the option `match`. */
export const matchSchema: z.ZodType = z.unknown().superRefine((value, { addIssue }) => {
  clausesOf(value, (path, message) => addIssue({ code: "custom", message, path: [...path] }));
});
