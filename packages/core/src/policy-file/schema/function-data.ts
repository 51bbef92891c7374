import { z } from "zod";
import { text } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** Stands for a function of the application, by the name that it is given under. */
export interface FunctionData {
  readonly use: string;
}

export const use: z.ZodType<FunctionData> = schemaFor<FunctionData>()(
  z.strictObject({ use: text("the name of a function") }),
).meta({ id: "use", description: "A function of the application, by the name it is given under." });
