import { z } from "zod";
import { type AlgorithmName, algorithms } from "../../algorithms/index.ts";
import type { ConfigError } from "../../errors.ts";
import { actionShape } from "../../http/action.ts";
import { statusSchema } from "../../http/options/refusal-schemas.ts";
import { orMeant } from "../../options/or-meant.ts";
import { policyShape } from "../../options/policy-options.ts";
import { banShape } from "../../policies/ban.ts";
import { windowOf } from "../../policies/window.ts";
import { type AnswerData, answer, type BodyData, body } from "./body-data.ts";
import { type FunctionData, use } from "./function-data.ts";
import { ceiling, type KeyData, key } from "./key-data.ts";
import {
  asInCode,
  choice,
  duration,
  flag,
  note,
  object,
  oneOrMany,
  policyName,
  quotesHint,
  type Saying,
  saying,
  timeZone,
  whole,
} from "./leaf.ts";
import { type OutcomeData, outcomes } from "./outcome-data.ts";
import { hintInCode, saidInCode } from "./said-in-code.ts";
import { type Shape, schemaFor } from "./schema-for.ts";
import { type ChosenData, chosen, type SourceData, source, sourceHint } from "./source-data.ts";

type DurationData = number | string;

type ActionData = "block" | "log" | "delay" | AnswerData | FunctionData;

interface TierData {
  readonly limit?: ChosenData<number> | undefined;
  readonly burst?: ChosenData<number> | undefined;
  readonly window?: ChosenData<DurationData> | undefined;
}

interface BanData {
  readonly after?: number | undefined;
  readonly within?: DurationData | undefined;
  readonly for: DurationData;
  readonly factor?: number | undefined;
  readonly ceiling?: DurationData | undefined;
  readonly extend?: boolean | undefined;
  readonly status?: number | undefined;
  readonly body?: BodyData | undefined;
}

/** A policy's options as data, with the same meaning as in code. */
export interface PolicyData {
  readonly limit: ChosenData<number>;
  readonly window: ChosenData<DurationData>;
  readonly name?: string | undefined;
  readonly algorithm?: AlgorithmName | undefined;
  readonly burst?: ChosenData<number> | undefined;
  readonly segments?: number | undefined;
  readonly align?: "clock" | "first-request" | undefined;
  readonly timeZone?: string | undefined;
  readonly delay?: boolean | undefined;
  readonly cost?: ChosenData<number> | undefined;
  readonly skip?: FunctionData | undefined;
  readonly shadow?: boolean | undefined;
  readonly countRefused?: boolean | undefined;
  readonly onStoreError?: "open" | "closed" | undefined;
  readonly tier?: SourceData | readonly SourceData[] | undefined;
  readonly tiers?: Readonly<Record<string, TierData>> | undefined;
  readonly ban?: BanData | undefined;
  readonly key?: KeyData | undefined;
  readonly unidentified?: "address" | "skip" | undefined;
  readonly unverifiedCeiling?: number | false | undefined;
  readonly refund?: OutcomeData | undefined;
  readonly count?: OutcomeData | undefined;
  readonly resetOn?: OutcomeData | undefined;
  readonly action?: ActionData | undefined;
  readonly maxDelay?: DurationData | undefined;
  readonly note?: string | undefined;
}

const windowText = windowSaid(undefined);
const aWindow: Saying = ({ input }) => windowSaid(input);

/**
 * Returns the message for the result of a window function in code: unlike the option, it cannot be a function, just as
 * in a file.
 */
function windowSaid(value: unknown): string {
  try {
    windowOf(value, {}, "window");
    return "";
  } catch (error) {
    return (error as ConfigError).issues[0]!.expected;
  }
}

const calendar = z.enum(["day", "month"], { error: aWindow });
const oneWindow: z.ZodType<DurationData> = z.union([calendar, duration(aWindow)], {
  error: aWindow,
});
const units = "a whole number from 0 to 2^53 - 1";
const atLeastOne = "a whole number of at least 1";
const unitsHint = (value: unknown): string =>
  quotesHint(value) || hintInCode("limit", policyShape.limit, value);
const windowHint = (value: unknown): string => windowSaid(value).slice(windowText.length);
const limit = chosen<number>("limit", whole(0), units, unitsHint);
const burst = chosen<number>("burst", whole(1), atLeastOne, quotesHint);
const window = chosen("window", oneWindow, windowText, windowHint);

const tier = schemaFor<TierData>()(
  object(
    {
      limit: limit.optional(),
      burst: burst.optional(),
      window: window.optional(),
    },
    asInCode("tiers", z.strictObject({})),
  ),
).meta({ id: "tier" });

export const refusalStatus: z.ZodInt = whole(400, 599, saidInCode("status", statusSchema, null));

const banDuration = duration(asInCode("for", banShape.for));
const aFactor = saying("a number of at least 1", quotesHint);

const ban = schemaFor<BanData>()(
  object(
    {
      after: whole(1).optional(),
      within: banDuration.optional(),
      for: banDuration,
      factor: z.number({ error: aFactor }).min(1, { error: aFactor }).optional(),
      ceiling: banDuration.optional(),
      extend: flag.optional(),
      status: refusalStatus.optional(),
      body: body.optional(),
    },
    asInCode("ban", z.strictObject({})),
  ),
).meta({ id: "ban" });

const actions = ["block", "log", "delay"] as const;

const action = schemaFor<ActionData>()(
  z.union([z.enum(actions), answer, use], {
    error: orMeant(
      '"block", "log", "delay", an answer ({ "answer": { status, headers, body } }), or use',
      actions,
    ),
  }),
).meta({ id: "action" });

const sources = oneOrMany(
  source,
  saying("a source such as { claim } or { user }, or a list of them", sourceHint),
);

/** The fields of a policy, for the schemas of single-policy files and of rules. */
export const policyDataShape: Shape<PolicyData> = {
  limit,
  window,
  name: policyName.optional(),
  algorithm: choice(...(Object.keys(algorithms) as AlgorithmName[])).optional(),
  burst: burst.optional(),
  segments: whole(1, 100).optional(),
  align: choice("clock", "first-request").optional(),
  timeZone: timeZone.optional(),
  delay: flag.optional(),
  cost: chosen<number>("cost", whole(0), units, unitsHint).optional(),
  skip: use.optional(),
  shadow: flag.optional(),
  countRefused: flag.optional(),
  onStoreError: choice("open", "closed").optional(),
  tier: sources.optional(),
  tiers: z
    .record(z.string(), tier, { error: asInCode("tiers", policyShape.tiers) })
    .meta({ minProperties: 1 })
    .optional(),
  ban: ban.optional(),
  key: key.optional(),
  unidentified: choice("address", "skip").optional(),
  unverifiedCeiling: ceiling.optional(),
  refund: outcomes.optional(),
  count: outcomes.optional(),
  resetOn: outcomes.optional(),
  action: action.optional(),
  maxDelay: duration(asInCode("maxDelay", actionShape.maxDelay)).optional(),
  note: note.optional(),
};
