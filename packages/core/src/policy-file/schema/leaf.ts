import { z } from "zod";
import { durationPattern, longestDuration, parseDuration } from "../../duration.ts";
import { listHint } from "../../options/expecting.ts";
import { orMeant } from "../../options/or-meant.ts";
import { policyShape } from "../../options/policy-options.ts";
import { isTimeZone } from "../../policies/calendar.ts";
import { aPolicyName, policyNamePattern } from "../../policies/policy-name.ts";
import { numberHint } from "../../whole.ts";
import { saidInCode } from "./said-in-code.ts";

/** Returns what is expected, for an invalid value. */
export type Saying = (issue: { readonly input?: unknown }) => string;

/** Creates a message of what is expected plus the hint for the value, or "". */
export function saying(expected: string, hint: (value: unknown) => string): Saying {
  return ({ input }) => expected + hint(input);
}

/** Returns a hint to write a numeric string without quotes; "" for anything else. */
export function quotesHint(value: unknown): string {
  return numberHint(value) === "" ? "" : ` (a number stands without quotes: ${String(value)})`;
}

/** Creates the schema of whole numbers within bounds. */
export function whole(least: number, most?: number, what?: string): z.ZodInt {
  const end =
    most === undefined ? (least === 0 ? "0 to 2^53 - 1" : undefined) : `${least} to ${most}`;
  const text = end ? `a whole number from ${end}` : `a whole number of at least ${least}`;
  const error = saying(what ?? text, quotesHint);
  const number = z.int({ error }).min(least, { error });
  return most === undefined ? number : number.max(most, { error });
}

/** Creates the schema of non-empty strings. */
export function text(error: string): z.ZodString {
  return z.string({ error }).min(1, { error });
}

/** Creates the schema of one of these strings. */
export function choice<const Name extends string>(
  ...names: readonly Name[]
): z.ZodEnum<{ [Each in Name]: Each }> {
  const quoted = names.map((name) => JSON.stringify(name)).join(", ");
  return z.enum(names as readonly [Name, ...Name[]], {
    error: orMeant(`one of ${quoted}`, names),
  });
}

/**
 * Creates the schema of an object with exactly these fields. Its message for an unknown name is the list of known ones,
 * from which problems are created.
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

/** Creates the schema of a non-empty list. */
export function some<Schema extends z.ZodType>(
  schema: Schema,
  error: Saying = aList,
): z.ZodArray<Schema> {
  return z.array(schema, { error }).min(1, { error: "at least 1 of them" });
}

/** Expects a list, with a hint for a value that could be an entry. */
export const aList: Saying = saying("a list", (value) =>
  listHint(value, (one) => typeof one === "string"),
);

/** Creates the schema of one value, or of a non-empty list of them. */
export function oneOrMany<Schema extends z.ZodType>(
  schema: Schema,
  error: string | Saying,
): z.ZodUnion<readonly [Schema, z.ZodArray<Schema>]> {
  return z.union([schema, some(schema)], { error });
}

export const flag: z.ZodBoolean = z.boolean({ error: "true or false" });

/** Creates the schema of durations; `error` says what is expected. */
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

/** Returns the message of the option of this name in code. */
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
