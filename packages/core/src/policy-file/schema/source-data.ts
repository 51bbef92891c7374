import { z } from "zod";
import { received } from "../../errors.ts";
import { meantHint } from "../../options/or-meant.ts";
import { type FunctionData, use } from "./function-data.ts";
import { object, saying, text } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** Where a string of a request is read; `"identity"` is `"user"` if authentication found one, else `"anonymous"`. */
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

/** Returns a hint at the source that a string was meant to be: a plain one, or a property of the user. */
export function sourceHint(value: unknown): string {
  if (typeof value !== "string" || value === "") return "";
  return meantHint(value, texts) || ` (did you mean { user: ${received(value)} }?)`;
}

const texts = ["method", "identity"] as const;

export const source: z.ZodType<SourceData> = schemaFor<SourceData>()(
  z.union(
    [
      z.enum(texts),
      object({ header: text("the name of a header field") }),
      object({ query: text("the name of a parameter") }),
      object({ cookie: text("the name of a cookie") }),
      object({ claim: text("the name of a claim") }),
      object({ user: text('a property of the user, such as "plan"') }),
      use,
    ],
    {
      error: saying(
        '"method", "identity", or an object with one of header, query, cookie, claim, user and use',
        sourceHint,
      ),
    },
  ),
).meta({
  id: "source",
  description:
    'Where a string of the request is read. "identity" is "user" where authentication found one, else "anonymous".',
});

/** A value, a table of values by what a source reads, or a function. What `of` lacks is `otherwise`. */
export type ChosenData<Value> =
  | Value
  | {
      readonly by: SourceData;
      readonly of: Readonly<Record<string, Value>>;
      readonly otherwise: Value;
    }
  | FunctionData;

/** Creates the schema of a value that may depend on the request; `what` describes the value. */
export function chosen<Value>(
  id: string,
  value: z.ZodType<Value>,
  what: string,
  hint: (value: unknown) => string,
): z.ZodType<ChosenData<Value>> {
  const table = object({ by: source, of: z.record(z.string(), value), otherwise: value });
  const union = z.union([value, table, use], {
    error: saying(`${what}, a table of them ({ by, of, otherwise }), or use`, hint),
  });
  return union.meta({ id }) as z.ZodType as z.ZodType<ChosenData<Value>>;
}
