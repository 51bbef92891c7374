import { z } from "zod";
import { orMeant } from "../../options/or-meant.ts";
import { type FunctionData, use } from "./function-data.ts";
import { oneOrMany, text, whole } from "./leaf.ts";
import { schemaFor } from "./schema-for.ts";

/** One extractor, as data. */
export type KeyPartData =
  | "ip"
  | "user"
  | "apiKey"
  | "route"
  | "everyone"
  | "userAgent"
  | {
      readonly ip: {
        readonly ipv4Prefix?: number | undefined;
        readonly ipv6Prefix?: number | undefined;
      };
    }
  /** A property of the user, such as `"team.id"`. */
  | { readonly user: string | FunctionData }
  | {
      readonly apiKey: {
        readonly header?: string | readonly string[] | undefined;
        readonly verify?: FunctionData | undefined;
        readonly unverifiedCeiling?: number | false | undefined;
      };
    }
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly query: string }
  | { readonly claim: string }
  | FunctionData;

/** The option `key`: an extractor, several joined, or a list of these, of which the first that answers counts. */
export type KeyData =
  | KeyPartData
  | { readonly join: readonly KeyPartData[] }
  | readonly (KeyPartData | { readonly join: readonly KeyPartData[] })[];

/** The ceiling of keys that nobody verified. */
export const ceiling: z.ZodType<number | false> = z.union([whole(0), z.literal(false)], {
  error: "a whole number, or false",
});
const field = text("the name of a header field");

const names = ["ip", "user", "apiKey", "route", "everyone", "userAgent"] as const;

const keyPart: z.ZodType<KeyPartData> = schemaFor<KeyPartData>()(
  z.union(
    [
      z.enum(names),
      z.strictObject({
        ip: z.strictObject({
          ipv4Prefix: whole(8, 32).optional(),
          ipv6Prefix: whole(32, 128).optional(),
        }),
      }),
      z.strictObject({
        user: z.union([text('a property of the user, such as "team.id"'), use], {
          error: 'a property of the user, such as "team.id", or use',
        }),
      }),
      z.strictObject({
        apiKey: z.strictObject({
          header: oneOrMany(field, "the name of a header field, or several").optional(),
          verify: use.optional(),
          unverifiedCeiling: ceiling.optional(),
        }),
      }),
      z.strictObject({ header: field }),
      z.strictObject({ cookie: text("the name of a cookie") }),
      z.strictObject({ query: text("the name of a parameter") }),
      z.strictObject({ claim: text("the name of a claim") }),
      use,
    ],
    {
      error: orMeant(
        '"ip", "user", "apiKey", "route", "everyone", "userAgent", or an object with one of ip, user, apiKey, header, cookie, query, claim and use',
        names,
      ),
    },
  ),
).meta({ id: "keyPart" });

const entry = z.union(
  [
    keyPart,
    z.strictObject({
      join: z.array(keyPart, { error: "a list" }).min(2, { error: "at least 2 of them" }),
    }),
  ],
  {
    error: orMeant(
      '"ip", "user", "apiKey", "route", "everyone", "userAgent", or an object with one of ip, user, apiKey, header, cookie, query, claim, join and use',
      names,
    ),
  },
);

export const key: z.ZodType<KeyData> = schemaFor<KeyData>()(
  oneOrMany(
    entry,
    orMeant(
      'such as "ip", "user", { "header": "x-tenant" }, { "join": […] }, or a list of them that is not empty',
      names,
    ),
  ),
).meta({
  id: "key",
  description: "Whose allowance a request uses; of a list the first that answers.",
});
