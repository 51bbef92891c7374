import { z } from "zod";
import { longestDuration, parseDuration } from "../../duration.ts";
import { orMeant } from "../../options/or-meant.ts";
import { isTimeZone } from "../../policies/calendar.ts";

/** Makes the schema of whole numbers within bounds. */
export function whole(least: number, most?: number): z.ZodInt {
  const end =
    most === undefined ? (least === 0 ? "0 to 2^53 - 1" : undefined) : `${least} to ${most}`;
  const error = end ? `a whole number from ${end}` : `a whole number of at least ${least}`;
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

/** Makes the schema of a list that is not empty. */
export function some<Schema extends z.ZodType>(schema: Schema): z.ZodArray<Schema> {
  return z.array(schema, { error: "a list" }).min(1, { error: "at least 1 of them" });
}

/** Makes the schema of one value, or of a list of them that is not empty. */
export function oneOrMany<Schema extends z.ZodType>(
  schema: Schema,
  error: string | ReturnType<typeof orMeant>,
): z.ZodUnion<readonly [Schema, z.ZodArray<Schema>]> {
  return z.union([schema, some(schema)], { error });
}

export const flag: z.ZodBoolean = z.boolean({ error: "true or false" });

const durationText = `whole milliseconds from 1 to ${longestDuration}, or a text like "250ms", "10s", "1m", "1h" or "1d"`;

export const duration: z.ZodUnion<readonly [z.ZodInt, z.ZodString]> = z.union(
  [
    z
      .int({ error: durationText })
      .min(1, { error: durationText })
      .max(longestDuration, { error: durationText }),
    z
      .string({ error: durationText })
      .regex(/^\d{1,16}(\.\d{1,9})?(ms|s|m|h|d|w)$/, { error: durationText })
      .refine((value) => parseDuration(value) !== undefined, { error: durationText }),
  ],
  { error: durationText },
);

const zoneText = 'an IANA time zone such as "Europe/Berlin"';

export const timeZone: z.ZodString = z
  .string({ error: zoneText })
  .refine(isTimeZone, { error: zoneText });

const nameText = "a text of 1 to 128 printable ASCII characters";

export const policyName: z.ZodString = z
  .string({ error: nameText })
  .regex(/^[\x20-\x7e]{1,128}$/, { error: nameText });

export const note: z.ZodString = z
  .string({ error: "a text" })
  .meta({ description: "A remark for people; nothing reads it." });
