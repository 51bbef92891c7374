import { z } from "zod";
import type { HeaderDialect } from "../../http/headers/header-dialect.ts";
import { headerDialectSchema } from "../../http/headers/header-dialect-schema.ts";
import { type DialectName, headerDialects } from "../../http/headers/header-dialects.ts";
import { type HeaderStyle, headerStyles } from "../../http/headers/header-style.ts";
import { orMeant } from "../../options/or-meant.ts";
import { choice, some } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

type OneOfHeaders = HeaderStyle | DialectName | HeaderDialect;

/** The rate headers: styles and dialects by name, and dialects as data. */
export type HeadersData = OneOfHeaders | readonly OneOfHeaders[] | false;

const names = [...Object.keys(headerStyles), ...Object.keys(headerDialects)] as (
  | HeaderStyle
  | DialectName
)[];
const error = `${names.map((one) => JSON.stringify(one)).join(", ")}, a dialect as an object`;

const one = z.union([choice(...names), headerDialectSchema], { error: orMeant(error, names) });

export const headers: z.ZodType<HeadersData> = schemaFor<HeadersData>()(
  z.union([one, some(one), z.literal(false)], {
    error: orMeant(`${error}, a list of these, or false`, names),
  }),
).meta({ id: "headers" });
