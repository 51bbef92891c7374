import { z } from "zod";
import { durationPattern, longestDuration, parseDuration } from "../../duration.ts";
import { listHint } from "../../options/expecting.ts";
import { orMeant } from "../../options/or-meant.ts";
import { policyShape } from "../../options/policy-options.ts";
import { isTimeZone } from "../../policies/calendar.ts";
import { aPolicyName, policyNamePattern } from "../../policies/policy-name.ts";
import { numberHint } from "../../whole.ts";
import { saidInCode } from "./said-in-code.ts";

/** What is expected, said of the value that is not. */
export type Saying = (issue: { readonly input?: unknown }) => string;

/** Says what is expected, and by `hint` more of the value, or "". */
export function saying(expected: string, hint: (value: unknown) => string): Saying {
  return ({ input }) => expected + hint(input);
}

/** Says of a string that is a number to write it without quotes; "" of anything else. */
export function quotesHint(value: unknown): string {
  return numberHint(value) === "" ? "" : ` (a number stands without quotes: ${String(value)})`;
}

/** Makes the schema of whole numbers within bounds. */
export function whole(least: number, most?: number, what?: string): z.ZodInt {
  const end =
    most === undefined ? (least === 0 ? "0 to 2^53 - 1" : undefined) : `${least} to ${most}`;
  const text = end ? `a whole number from ${end}` : `a whole number of at least ${least}`;
  const error = saying(what ?? text, quotesHint);
  const number = z.int({ error }).min(least, { error });
  return most === undefined ? number : number.max(most, { error });
}

/** Makes the schema of texts that are not empty. */
export function text(error: string): z.ZodString {
  return z.string({ error }).min(1, { error });
}

/** Makes the schema of one text out of these. */
export function choice<const Name extends string>(
  ...names: readonly Name[]
): z.ZodEnum<{ [Each in Name]: Each }> {
  const quoted = names.map((name) => JSON.stringify(name)).join(", ");
  return z.enum(names as readonly [Name, ...Name[]], {
    error: orMeant(`one of ${quoted}`, names),
  });
}

/**
 * Makes the schema of an object of these fields and no others. What it says of a name that is not among them is the list
 * of those that are, of which problems are made.
 */
export function object<const Fields extends z.core.$ZodLooseShape>(
  fields: Fields,
  expected: Saying = () => "an object",
): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? Object.keys(fields).join() : expected(issue),
  });
}

/** Makes the schema of a list that is not empty. */
export function some<Schema extends z.ZodType>(
  schema: Schema,
  error: Saying = aList,
): z.ZodArray<Schema> {
  return z.array(schema, { error }).min(1, { error: "at least 1 of them" });
}

/** Says that a list was expected, and how what could stand in one would. */
export const aList: Saying = saying("a list", (value) =>
  listHint(value, (one) => typeof one === "string"),
);

/** Makes the schema of one value, or of a list of them that is not empty. */
export function oneOrMany<Schema extends z.ZodType>(
  schema: Schema,
  error: string | Saying,
): z.ZodUnion<readonly [Schema, z.ZodArray<Schema>]> {
  return z.union([schema, some(schema)], { error });
}

export const flag: z.ZodBoolean = z.boolean({ error: "true or false" });

/** Makes the schema of durations; `error` says what is expected. */
export function duration(error: Saying): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union(
    [
      z.int({ error }).min(1, { error }).max(longestDuration, { error }),
      z
        .string({ error })
        .regex(durationPattern, { error })
        .refine((value) => parseDuration(value) !== undefined, { error }),
    ],
    { error },
  );
}

/** Says what the option of this name says in code. */
export function asInCode(name: string, schema: z.ZodType | undefined): Saying {
  return ({ input }) => saidInCode(name, schema, input);
}

const zone = asInCode("timeZone", policyShape.timeZone);

export const timeZone: z.ZodString = z.string({ error: zone }).refine(isTimeZone, { error: zone });

export const policyName: z.ZodString = z
  .string({ error: aPolicyName })
  .regex(policyNamePattern, { error: aPolicyName });

export const note: z.ZodString = z
  .string({ error: "a string" })
  .meta({ description: "A remark for people; nothing reads it." });
