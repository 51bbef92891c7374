import { z } from "zod";
import { exactly } from "./exactly.ts";
import { some, whole } from "./leaf.ts";
import { type UseData, use } from "./use-data.ts";

/** Which answers are meant. */
export type OutcomeData =
  | "failed"
  | "successful"
  | readonly (number | "1xx" | "2xx" | "3xx" | "4xx" | "5xx")[]
  | UseData;

export const outcomes: z.ZodType<OutcomeData> = exactly<OutcomeData>()(
  z.union(
    [
      z.enum(["failed", "successful"]),
      some(
        z.union([whole(100, 599), z.enum(["1xx", "2xx", "3xx", "4xx", "5xx"])], {
          error: 'a status from 100 to 599, or "1xx" to "5xx"',
        }),
      ),
      use,
    ],
    { error: '"failed", "successful", a list of statuses such as 401 and "5xx", or use' },
  ),
).meta({ id: "outcomes" });
