import { z } from "zod";
import { received } from "../../errors.ts";
import { meantHint } from "../../options/or-meant.ts";
import { isPlainObject } from "../../plain-object.ts";
import { type FunctionData, use } from "./function-data.ts";
import { object, oneOrMany, quotesHint, saying, some, text, whole } from "./leaf.ts";
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

/** The `key` option: an extractor, several joined, or a list of these, of which the first with a value counts. */
export type KeyData = KeyPartData | JoinData | readonly (KeyPartData | JoinData)[];

/** Several keys together; in a list among them, the first with a value counts. */
export interface JoinData {
  readonly join: readonly (KeyPartData | readonly KeyPartData[])[];
}

/** The ceiling of unverified keys. */
export const ceiling: z.ZodType<number | false> = z.union([whole(0), z.literal(false)], {
  error: saying("a whole number, or false", quotesHint),
});
const field = text("the name of a header field");

const names = ["ip", "user", "apiKey", "route", "everyone", "userAgent"] as const;

/** Sources of keys that need a function in code and cannot be data. */
const unread = ["body", "param", "params"];

/** Returns a hint at what a string was meant to be, or at keys of another form. */
function keyHint(value: unknown): string {
  if (isPlainObject(value) && unread.some((name) => Object.hasOwn(value as object, name))) {
    return " (what is in a body or a path: { use: … }, a function that you give)";
  }
  if (typeof value !== "string") return "";
  const [, kind, name = ""] = /^(header|cookie|query|claim|user):\s*(.+)$/.exec(value) ?? [];
  if (kind !== undefined) return ` (did you mean { ${kind}: ${received(name)} }?)`;
  const meant = meantHint(value, names);
  return meant || ' (of a header field: { header: … }; the same for all: "everyone")';
}

const keyPart: z.ZodType<KeyPartData> = schemaFor<KeyPartData>()(
  z.union(
    [
      z.enum(names),
      object({
        ip: object({
          ipv4Prefix: whole(8, 32).optional(),
          ipv6Prefix: whole(32, 128).optional(),
        }),
      }),
      object({
        user: z.union([text('a property of the user, such as "team.id"'), use], {
          error: 'a property of the user, such as "team.id", or use',
        }),
      }),
      object({
        apiKey: object({
          header: oneOrMany(field, "the name of a header field, or several").optional(),
          verify: use.optional(),
          unverifiedCeiling: ceiling.optional(),
        }),
      }),
      object({ header: field }),
      object({ cookie: text("the name of a cookie") }),
      object({ query: text("the name of a parameter") }),
      object({ claim: text("the name of a claim") }),
      use,
    ],
    {
      error: saying(
        '"ip", "user", "apiKey", "route", "everyone", "userAgent", or an object with one of ip, user, apiKey, header, cookie, query, claim and use',
        keyHint,
      ),
    },
  ),
).meta({ id: "keyPart" });

const joinedPart = oneOrMany(
  keyPart,
  saying("a key, or a non-empty list of keys, of which the first that is found counts", keyHint),
);

const entry = z.union(
  [
    keyPart,
    object({
      join: some(joinedPart).min(2, { error: "at least 2 of them" }),
    }),
  ],
  {
    error: saying(
      '"ip", "user", "apiKey", "route", "everyone", "userAgent", or an object with one of ip, user, apiKey, header, cookie, query, claim, join and use',
      keyHint,
    ),
  },
);

export const key: z.ZodType<KeyData> = schemaFor<KeyData>()(
  oneOrMany(
    entry,
    saying(
      'a key such as "ip", "user", { "header": "x-tenant" }, { "join": […] }, or a list of them that is not empty',
      keyHint,
    ),
  ),
).meta({
  id: "key",
  description: "Whose allowance a request uses; of a list the first that answers.",
});
