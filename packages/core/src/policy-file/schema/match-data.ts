import { z } from "zod";
import { matchSchema } from "../../http/match/match-schema.ts";
import { type FunctionData, use } from "./function-data.ts";
import { asInCode, flag, object, oneOrMany, some, text } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

interface MatchOptionsData {
  readonly method?: string | readonly string[] | undefined;
  readonly path?: string | readonly string[] | undefined;
  readonly host?: string | readonly string[] | undefined;
  readonly header?: Readonly<Record<string, string | true | readonly string[]>> | undefined;
  readonly when?: FunctionData | undefined;
  readonly caseSensitive?: boolean | undefined;
}

/**
 * The requests that a rule applies to: a pattern, options that must all match, or a list of these, of which one must
 * match.
 */
export type MatchData =
  | string
  | MatchOptionsData
  | FunctionData
  | readonly (string | MatchOptionsData | FunctionData)[];

export const texts: z.ZodType<string | readonly string[]> = schemaFor<string | readonly string[]>()(
  oneOrMany(text("a non-empty string"), "a string, or a list of strings"),
);

const error =
  'a pattern such as "GET /api/*", an object of method, path, host, header and when, or use';

const one = z.union(
  [
    z.string().min(1, { error: asInCode("match", matchSchema) }),
    object({
      method: texts.optional(),
      path: texts.optional(),
      host: texts.optional(),
      header: z
        .record(
          z.string(),
          z.union([z.string(), z.literal(true), some(z.string({ error: "a string" }))], {
            error: "a string, a list of strings, or true",
          }),
        )
        .optional(),
      when: use.optional(),
      caseSensitive: flag.optional(),
    }),
    use,
  ],
  { error },
);

export const match: z.ZodType<MatchData> = schemaFor<MatchData>()(
  oneOrMany(one, `${error}, or a list of them`),
).meta({ id: "match", description: "Which requests a rule is for; of a list, any." });
