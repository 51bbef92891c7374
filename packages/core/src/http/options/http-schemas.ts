import type { z } from "zod";
import {
  expectingNumber,
  isFunction,
  oneOf,
  trueOrFalse,
  wholeFromOne,
} from "../../options/expecting.ts";
import { isWhole } from "../../whole.ts";
import { actionShape } from "../action.ts";
import { headersSchema } from "../headers/headers-schema.ts";
import { factoryHint, isExtractor, isFactory, namedHint } from "../identity/extractor.ts";
import { allowSchema, denySchema } from "../identity/list-entry.ts";
import { outcomeShape } from "../outcomes.ts";
import { orList } from "./or-list.ts";
import { bodySchema, statusSchema } from "./refusal-schemas.ts";
import { trustProxySchema } from "./trust-proxy-schema.ts";

/** The schema of the option `ipv6Prefix`. */
export const ipv6PrefixSchema: z.ZodType = expectingNumber(
  "a whole number from 32 to 128",
  (v) => isWhole(v) && v >= 32 && v <= 128,
);

/** The schema of a ceiling for unverified identities. */
export const ceilingSchema: z.ZodType = expectingNumber(
  "a whole number, or false",
  (v) => v === false || isWhole(v),
);

/** The fields of a policy that need a request. */
export const httpPolicyShape: Readonly<Record<string, z.ZodType>> = {
  key: orList(
    "an extractor such as ip(), a function, or a list of them that is not empty",
    isKey,
    "an extractor such as ip(), or a function",
    isKey,
    (value) => factoryHint(value) || namedHint(value),
  ).optional(),
  unidentified: oneOf("address", "skip").optional(),
  ...outcomeShape,
  unverifiedCeiling: ceilingSchema.optional(),
  ...actionShape,
};

/** The fields of a limiter that need a request. */
export const httpSharedShape: Readonly<Record<string, z.ZodType>> = {
  headers: headersSchema.optional(),
  reset: oneOf("epoch", "delta").optional(),
  body: bodySchema.optional(),
  status: statusSchema.optional(),
  trustProxy: trustProxySchema.optional(),
  ipv6Prefix: ipv6PrefixSchema.optional(),
  exposeHeaders: trueOrFalse.optional(),
  throw: trueOrFalse.optional(),
  maxHeld: wholeFromOne.optional(),
  allow: allowSchema.optional(),
  deny: denySchema.optional(),
  denyStatus: statusSchema.optional(),
};

/** Whether a value is a key. A factory that someone forgot to call is not: it would be called for every request. */
function isKey(value: unknown): boolean {
  return isExtractor(value) || (isFunction(value) && !isFactory(value));
}
