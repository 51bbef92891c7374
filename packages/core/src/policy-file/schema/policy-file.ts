import { z } from "zod";
import { httpSharedShape } from "../../http/options/http-schemas.ts";
import type { TrustProxyOption } from "../../http/request-address.ts";
import { sharedShape } from "../../options/limiter-options.ts";
import { type BodyData, body } from "./body-data.ts";
import { type HeadersData, headers } from "./headers-data.ts";
import {
  asInCode,
  choice,
  flag,
  note,
  object,
  policyName,
  quotesHint,
  type Saying,
  some,
  text,
  whole,
} from "./leaf.ts";
import { type ListData, list } from "./list-data.ts";
import { type MatchData, match } from "./match-data.ts";
import { type PolicyData, policyDataShape, refusalStatus } from "./policy-data.ts";
import { saidInCode } from "./said-in-code.ts";
import { type Shape, schemaFor } from "./schema-for.ts";

interface RuleHead {
  readonly name: string;
  readonly match?: MatchData | undefined;
  readonly replaces?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

interface FlatRule extends RuleHead, Omit<PolicyData, "name" | "note"> {}

interface RuleOfPolicies extends RuleHead {
  readonly policies: readonly NamedPolicy[];
}

interface UnlimitedRule extends RuleHead {
  readonly unlimited: true;
}

interface NamedPolicy extends Omit<PolicyData, "name"> {
  readonly name: string;
}

/** One rule: with a single policy, with several, or without a limit. */
export type RuleData = FlatRule | RuleOfPolicies | UnlimitedRule;

interface SharedData {
  readonly $schema?: string | undefined;
  readonly version?: string | number | undefined;
  readonly note?: string | undefined;
  readonly headers?: HeadersData | undefined;
  readonly reset?: "epoch" | "delta" | undefined;
  readonly status?: number | undefined;
  readonly body?: BodyData | undefined;
  readonly shadow?: boolean | undefined;
  readonly nearLimit?: number | undefined;
  readonly allow?: ListData | undefined;
  readonly deny?: ListData | undefined;
  readonly denyStatus?: number | undefined;
  readonly onStoreError?: "open" | "closed" | undefined;
  readonly trustProxy?: TrustProxyOption | undefined;
  readonly ipv6Prefix?: number | undefined;
  readonly exposeHeaders?: boolean | undefined;
  readonly throw?: boolean | undefined;
  readonly maxHeld?: number | undefined;
}

interface FlatFile extends SharedData, Omit<PolicyData, keyof SharedData> {}

interface FileOfPolicies extends SharedData {
  readonly policies: readonly NamedPolicy[];
}

interface FileOfRules extends SharedData {
  readonly matching: "first" | "all";
  readonly rules: readonly RuleData[];
}

/** A policy file as data: the options of a limiter, with names instead of functions. */
export type PolicyFile = FlatFile | FileOfPolicies | FileOfRules;

const proxies = some(text("an address, a CIDR such as 10.0.0.0/8 or a name such as loopback"));
const nearLimit = asInCode("nearLimit", sharedShape.nearLimit);

const sharedDataShape: Shape<SharedData> = {
  $schema: z.string({ error: "the address of a JSON Schema" }).optional(),
  version: z
    .union([text("a string"), whole(0)], { error: "a string or a whole number" })
    .meta({ description: "Tells versions of the same policies apart." })
    .optional(),
  note: note.optional(),
  headers: headers.optional(),
  reset: choice("epoch", "delta").optional(),
  status: refusalStatus.optional(),
  body: body.optional(),
  shadow: flag.optional(),
  nearLimit: z
    .number({ error: nearLimit })
    .gt(0, { error: nearLimit })
    .lt(1, { error: nearLimit })
    .optional(),
  allow: list.optional(),
  deny: list.optional(),
  denyStatus: refusalStatus.optional(),
  onStoreError: choice("open", "closed").optional(),
  trustProxy: z
    .union(
      [
        z.enum(["auto", "framework"]),
        z.literal(false),
        whole(1),
        proxies,
        object({
          header: text("the name of a header field such as CF-Connecting-IP"),
          from: z
            .union([z.literal("auto"), z.literal(1), proxies], {
              error: '"auto", 1 for whoever is the peer, or a list of CIDRs',
            })
            .optional(),
        }),
      ],
      {
        error: ({ input }) =>
          (saidInCode("trustProxy", httpSharedShape.trustProxy, input) || "{ header, from }") +
          quotesHint(input),
      },
    )
    .optional(),
  ipv6Prefix: whole(32, 128).optional(),
  exposeHeaders: flag.optional(),
  throw: flag.optional(),
  maxHeld: whole(1).optional(),
};

/** Describes a list as in code. */
function listOf(name: string): Saying {
  return asInCode(name, z.array(z.unknown()));
}

const named = object({ ...policyDataShape, name: policyName });

const ruleHead: Shape<RuleHead> = {
  name: policyName,
  match: match.optional(),
  replaces: some(policyName).optional(),
  note: note.optional(),
};

const rule = z.union(
  [
    object({ ...policyDataShape, ...ruleHead }),
    object({ ...ruleHead, policies: some(named, listOf("policies")) }),
    object({ ...ruleHead, unlimited: z.literal(true, { error: "true, or nothing" }) }),
  ],
  {
    error:
      "a rule: a name, and a policy's limit and window, or policies, or unlimited, which is true",
  },
);

export const flatFile: z.ZodType<FlatFile> = schemaFor<FlatFile>()(
  object({ ...policyDataShape, ...sharedDataShape }),
);

export const fileOfPolicies: z.ZodType<FileOfPolicies> = schemaFor<FileOfPolicies>()(
  object({ ...sharedDataShape, policies: some(named, listOf("policies")) }),
);

export const fileOfRules: z.ZodType<FileOfRules> = schemaFor<FileOfRules>()(
  object({
    ...sharedDataShape,
    matching: choice("first", "all"),
    rules: some(rule, listOf("rules")),
  }),
);

/** The schema of policy files, of three kinds: `rules` or `policies` determine which. */
export const policyFile: z.ZodType<PolicyFile> = z
  .union([flatFile, fileOfPolicies, fileOfRules])
  .meta({
    title: "Spillway policies",
    description:
      "The policies of a rate limiter: one given flat, several, or rules. See docs/policy-files.md.",
  });

/** Returns the schema of the intended kind, so that errors refer to that. */
export function schemaOf(value: unknown): z.ZodType<PolicyFile> {
  if (typeof value !== "object" || value === null) return flatFile;
  return "rules" in value ? fileOfRules : "policies" in value ? fileOfPolicies : flatFile;
}

const policyNames = Object.keys(policyDataShape);
const sharedNames = Object.keys(sharedDataShape);

/** The names of options by place: at the top level, or in entries of a list. */
export const optionNames: Readonly<Record<string, readonly string[]>> = {
  "": [...sharedNames, ...policyNames, "policies", "rules", "matching"],
  policies: policyNames,
  rules: [...policyNames, ...Object.keys(ruleHead), "policies", "unlimited"],
  "rules.policies": policyNames,
};
