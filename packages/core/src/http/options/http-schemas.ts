import { z } from "zod";
import {
  expectingNumber,
  isFunction,
  listHint,
  oneOf,
  trueOrFalse,
  wholeFromOne,
} from "../../options/expecting.ts";
import { isWhole } from "../../whole.ts";
import { actionShape } from "../action.ts";
import { cidrProblem, hopsProblem } from "../address/trusted-proxies.ts";
import { headersSchema } from "../headers/headers-schema.ts";
import { factoryHint, isExtractor, isFactory, namedHint } from "../identity/extractor.ts";
import { allowSchema, denySchema } from "../identity/list-entry.ts";
import { outcomeShape } from "../outcomes.ts";
import { bodySchema, statusSchema } from "./refusal-schemas.ts";

export const ipv6PrefixSchema: z.ZodType = expectingNumber(
  "a whole number from 32 to 128",
  (v) => isWhole(v) && v >= 32 && v <= 128,
);

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
  trustProxy: orList(
    '"auto", "framework", false, a number of hops of at least 1, or a list of CIDRs',
    isTrust,
    "an address, a CIDR such as 10.0.0.0/8 or a name such as loopback",
    (entry) => typeof entry === "string" && cidrProblem(entry) === undefined,
    (value) => (value === true ? " (how many proxies stand in front, such as 1)" : ""),
  ).optional(),
  ipv6Prefix: ipv6PrefixSchema.optional(),
  exposeHeaders: trueOrFalse.optional(),
  throw: trueOrFalse.optional(),
  maxHeld: wholeFromOne.optional(),
  allow: allowSchema.optional(),
  deny: denySchema.optional(),
  denyStatus: statusSchema.optional(),
};

/**
 * Makes the schema of a value, or of a list of them that is not empty and whose entries are named one by one. `hint` says
 * more of what does not fit.
 */
function orList(
  expected: string,
  fits: (value: unknown) => boolean,
  expectedEntry: string,
  fitsEntry: (entry: unknown) => boolean,
  hint: (value: unknown) => string = () => "",
): z.ZodType {
  return z.unknown().superRefine((value, { addIssue }) => {
    if (!Array.isArray(value) || value.length === 0) {
      if (fits(value)) return;
      const more = hint(value) || listHint(value, fitsEntry);
      addIssue({ code: "custom", message: expected + more });
      return;
    }
    value.forEach((entry, i) => {
      if (fitsEntry(entry)) return;
      addIssue({ code: "custom", message: expectedEntry + hint(entry), path: [i] });
    });
  });
}

/** A factory stands here where somebody forgot to call it: it would be asked for the key of every request. */
function isKey(value: unknown): boolean {
  return isExtractor(value) || (isFunction(value) && !isFactory(value));
}

function isTrust(value: unknown): boolean {
  if (value === "auto" || value === "framework" || value === false) return true;
  return typeof value === "number" && hopsProblem(value) === undefined;
}
