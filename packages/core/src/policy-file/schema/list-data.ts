import { z } from "zod";
import { allowSchema } from "../../http/identity/list-entry.ts";
import { type FunctionData, use } from "./function-data.ts";
import { asInCode, flag, object, text } from "./leaf.ts";
import { texts } from "./match-data.ts";
import { schemaFor } from "./schema-for.ts";

/** Entries of `allow` and `deny`. */
export type ListData = readonly (
  | string
  | {
      readonly cidr?: string | readonly string[] | undefined;
      readonly key?: string | readonly string[] | undefined;
      readonly when?: FunctionData | undefined;
      readonly late?: boolean | undefined;
      readonly reason?: string | undefined;
    }
)[];

export const list: z.ZodType<ListData> = schemaFor<ListData>()(
  z.array(
    z.union(
      [
        text("an address, a CIDR or a key"),
        object({
          cidr: texts.optional(),
          key: texts.optional(),
          when: use.optional(),
          late: flag.optional(),
          reason: z.string({ error: "a string" }).optional(),
        }),
      ],
      { error: "an address, a CIDR, a key, or an object of cidr, key, when, late and reason" },
    ),
    { error: asInCode("allow", allowSchema) },
  ),
).meta({ id: "list" });
