import { z } from "zod";
import { type AlgorithmName, algorithms } from "../../algorithms/index.ts";
import { orMeant } from "../../options/or-meant.ts";
import { type AnswerData, answer, type BodyData, body } from "./body-data.ts";
import { type FunctionData, use } from "./function-data.ts";
import { ceiling, type KeyData, key } from "./key-data.ts";
import { choice, duration, flag, note, oneOrMany, policyName, timeZone, whole } from "./leaf.ts";
import { type OutcomeData, outcomes } from "./outcome-data.ts";
import { type Shape, schemaFor } from "./schema-for.ts";
import { type ChosenData, chosen, type SourceData, source } from "./source-data.ts";

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

/** A policy's options as data; they mean what they mean in code. */
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

const durationText = 'milliseconds, or a text like "10s", "1m", "1h" or "1d"';
const windowText = `${durationText}, or "day" or "month"`;

const calendar = z.enum(["day", "month"], { error: windowText });
const oneWindow: z.ZodType<DurationData> = z.union([calendar, duration], { error: windowText });
const units = "a whole number from 0 to 2^53 - 1";
const limit = chosen<number>("limit", whole(0), units);
const burst = chosen<number>("burst", whole(1), "a whole number of at least 1");
const window = chosen("window", oneWindow, windowText);

const tier = schemaFor<TierData>()(
  z.strictObject({
    limit: limit.optional(),
    burst: burst.optional(),
    window: window.optional(),
  }),
).meta({ id: "tier" });

const factorText = "a number of at least 1";

const ban = schemaFor<BanData>()(
  z.strictObject({
    after: whole(1).optional(),
    within: duration.optional(),
    for: duration,
    factor: z.number({ error: factorText }).min(1, { error: factorText }).optional(),
    ceiling: duration.optional(),
    extend: flag.optional(),
    status: whole(400, 599).optional(),
    body: body.optional(),
  }),
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

const sources = oneOrMany(source, "a source such as { claim } or { user }, or a list of them");

/** The fields of a policy, for the schemas of files that have one, and of rules. */
export const policyShape: Shape<PolicyData> = {
  limit,
  window,
  name: policyName.optional(),
  algorithm: choice(...(Object.keys(algorithms) as AlgorithmName[])).optional(),
  burst: burst.optional(),
  segments: whole(1, 100).optional(),
  align: choice("clock", "first-request").optional(),
  timeZone: timeZone.optional(),
  delay: flag.optional(),
  cost: chosen<number>("cost", whole(0), units).optional(),
  skip: use.optional(),
  shadow: flag.optional(),
  countRefused: flag.optional(),
  onStoreError: choice("open", "closed").optional(),
  tier: sources.optional(),
  tiers: z.record(z.string(), tier).meta({ minProperties: 1 }).optional(),
  ban: ban.optional(),
  key: key.optional(),
  unidentified: choice("address", "skip").optional(),
  unverifiedCeiling: ceiling.optional(),
  refund: outcomes.optional(),
  count: outcomes.optional(),
  resetOn: outcomes.optional(),
  action: action.optional(),
  maxDelay: duration.optional(),
  note: note.optional(),
};
