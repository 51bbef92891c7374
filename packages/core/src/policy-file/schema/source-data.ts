import { z } from "zod";
import { type FunctionData, use } from "./function-data.ts";
import { text } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** Says where a text of a request is read; `"identity"` is `"user"` where authentication found one, else `"anonymous"`. */
export type SourceData =
  | "method"
  | "identity"
  | { readonly header: string }
  | { readonly query: string }
  | { readonly cookie: string }
  | { readonly claim: string }
  /** A property of the user, such as `"plan"` or `"team.plan"`. */
  | { readonly user: string }
  | FunctionData;

export const source: z.ZodType<SourceData> = schemaFor<SourceData>()(
  z.union(
    [
      z.enum(["method", "identity"]),
      z.strictObject({ header: text("the name of a header field") }),
      z.strictObject({ query: text("the name of a parameter") }),
      z.strictObject({ cookie: text("the name of a cookie") }),
      z.strictObject({ claim: text("the name of a claim") }),
      z.strictObject({ user: text('a property of the user, such as "plan"') }),
      use,
    ],
    {
      error:
        '"method", "identity", or an object with one of header, query, cookie, claim, user and use',
    },
  ),
).meta({
  id: "source",
  description:
    'Where a text of the request is read. "identity" is "user" where authentication found one, else "anonymous".',
});

/** A value, one by what a source reads, or one by a function. What a source reads and `of` lacks is `otherwise`. */
export type ChosenData<Value> =
  | Value
  | {
      readonly by: SourceData;
      readonly of: Readonly<Record<string, Value>>;
      readonly otherwise: Value;
    }
  | FunctionData;

/** Makes the schema of a value that may depend on the request. */
export function chosen<Value>(
  id: string,
  value: z.ZodType<Value>,
  what: string,
): z.ZodType<ChosenData<Value>> {
  const table = z.strictObject({ by: source, of: z.record(z.string(), value), otherwise: value });
  const union = z.union([value, table, use], {
    error: `${what}, a table of them ({ by, of, otherwise }), or use`,
  });
  return union.meta({ id }) as z.ZodType as z.ZodType<ChosenData<Value>>;
}
