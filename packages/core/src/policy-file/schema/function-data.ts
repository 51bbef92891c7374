import type { z } from "zod";
import { received } from "../../errors.ts";
import { object, saying, text } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** Refers to a function of the application by name. */
export interface FunctionData {
  readonly use: string;
}

export const use: z.ZodType<FunctionData> = schemaFor<FunctionData>()(
  object(
    { use: text("the name of a function") },
    saying("a function by its name, as { use: … }", (value) =>
      typeof value === "string" && !/^(?:true|false)?$/.test(value)
        ? ` (did you mean { use: ${received(value)} }?)`
        : "",
    ),
  ),
).meta({ id: "use", description: "A function of the application, by the name it is given under." });
