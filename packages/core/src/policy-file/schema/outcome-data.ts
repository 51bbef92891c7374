import { z } from "zod";
import { outcomeShape, type StatusClass, statusClasses } from "../../http/outcomes.ts";
import { type FunctionData, use } from "./function-data.ts";
import { quotesHint, saying, some, whole } from "./leaf.ts";
import { hintInCode } from "./said-in-code.ts";
import { schemaFor } from "./schema-for.ts";

/** A selection of responses. */
export type OutcomeData =
  | "failed"
  | "successful"
  | readonly (number | StatusClass)[]
  | FunctionData;

export const outcomes: z.ZodType<OutcomeData> = schemaFor<OutcomeData>()(
  z.union(
    [
      z.enum(["failed", "successful"]),
      some(
        z.union([whole(100, 599), z.enum(statusClasses)], {
          error: saying('a status from 100 to 599, or "1xx" to "5xx"', quotesHint),
        }),
      ),
      use,
    ],
    {
      error: saying(
        '"failed", "successful", a list of statuses such as 401 and "5xx", or use',
        (value) => hintInCode("count", outcomeShape.count, value) || quotesHint(value),
      ),
    },
  ),
).meta({ id: "outcomes" });
