import { z } from "zod";
import { exactly } from "./exactly.ts";
import { text } from "./leaf.ts";

/** Stands for a function of the application, by the name that it is given under. */
export interface UseData {
  readonly use: string;
}

export const use: z.ZodType<UseData> = exactly<UseData>()(
  z.strictObject({ use: text("the name of a function") }),
).meta({ id: "use", description: "A function of the application, by the name it is given under." });
