import type { z } from "zod";
import { isPromise } from "../../awaitable.ts";
import { expecting, isFunction } from "../../options/expecting.ts";
import { meantHint } from "../../options/or-meant.ts";
import { isWhole } from "../../whole.ts";

/** The schema of the status of a refusal. */
export const statusSchema: z.ZodType = expecting(
  "an HTTP status from 400 to 599",
  (v) => isWhole(v) && v >= 400 && v <= 599,
);

/** The schema of the body of a refusal. */
export const bodySchema: z.ZodType = expecting(
  '"json", "problem" or a function',
  (v) => v === "json" || v === "problem" || isFunction(v),
  bodyHint,
);

function bodyHint(value: unknown): string {
  const meant = meantHint(value, ["json", "problem"]);
  if (meant !== "") return meant;
  const isOwn = typeof value === "string" || (typeof value === "object" && value !== null);
  return isOwn && !isPromise(value) ? " (of an answer of your own: () => …)" : "";
}
