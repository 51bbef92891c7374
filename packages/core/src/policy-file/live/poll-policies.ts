import { z } from "zod";
import { type Duration, durationHint, parseDuration } from "../../duration.ts";
import { ConfigError, received } from "../../errors.ts";
import { checkOptions } from "../../options/check-options.ts";
import { aFunction, expecting } from "../../options/expecting.ts";
import { loadData, loadText } from "../parse-policies.ts";
import type { PolicyFileOptions } from "../reader-options.ts";
import { readerShape } from "../reader-options.ts";
import { type After, after } from "./after.ts";
import { errorHook, type OnError } from "./error-hook.ts";
import { type KeptPolicies, keptPolicies } from "./kept-policies.ts";

/** A version of the policies, as returned by `load`. */
export interface PolicyVersion {
  /** Distinguishes versions: a serial number, an ETag, a hash. */
  readonly version: string | number;
  /** A string in the `format`, or data. */
  readonly policies: unknown;
}

/** Fetches the policies. Returns undefined if there is nothing newer than the known version. */
export type LoadPolicies = (known: {
  /** Undefined the first time. */
  readonly version: string | undefined;
  /** Aborted when the deadline has passed or the source is closed. */
  readonly signal: AbortSignal;
}) => PolicyVersion | undefined | Promise<PolicyVersion | undefined>;

/** Options for keeping policies up to date, wherever they come from. */
export interface KeepPoliciesOptions extends Omit<PolicyFileOptions, "http"> {
  /** Time from the end of one check to the next. Default `"30s"`. */
  readonly every?: Duration | undefined;
  /** Time after which a check is aborted and counts as failed. Default `"10s"`. */
  readonly deadline?: Duration | undefined;
  /** Called with what cannot be used. Default: a warning `SPILLWAY_POLICIES_KEPT`. */
  readonly onError?: OnError | undefined;
  /** Replaces timers in tests. */
  readonly after?: After | undefined;
}

/** Options for polling policies. */
export interface PollPoliciesOptions extends KeepPoliciesOptions {
  /** The random part of each wait, 0 to 1, so that many processes do not ask at once. Default 0.1. */
  readonly jitter?: number | undefined;
  /** The longest wait: failures double it from `every`. Default `"5m"`, or `every` if that is longer. */
  readonly ceiling?: Duration | undefined;
  /** Replaces `Math.random` in tests. */
  readonly random?: (() => number) | undefined;
}

const time = expecting(
  'whole milliseconds of at least 1, or a string like "10s" or "1m"',
  (v) => parseDuration(v) !== undefined,
  durationHint,
).optional();

/** The fields shared by all sources of policies, for strict object schemas. */
export const keepShape: Readonly<Record<string, z.ZodType>> = {
  ...readerShape,
  every: time,
  deadline: time,
  onError: aFunction.optional(),
  after: aFunction.optional(),
};

const schema = z.strictObject({
  ...keepShape,
  jitter: expecting(
    "a number from 0 to 1",
    (v) => typeof v === "number" && v >= 0 && v <= 1,
  ).optional(),
  ceiling: time,
  random: aFunction.optional(),
});

/**
 * Keeps policies up to date from anything that can be queried: a table, a URL, Redis. Resolves with the first version,
 * or rejects with its problems. Later checks run in the background, one at a time; failures and unusable versions are
 * reported, and the last good version stays. No timer keeps the process alive.
 */
export function pollPolicies(
  load: LoadPolicies,
  given: PollPoliciesOptions = {},
): Promise<KeptPolicies> {
  const options = checkOptions(schema, given);
  checkOptions(aFunction, load, "load");
  const every = parseDuration(options.every ?? "30s")!;
  const ceiling = Math.max(every, parseDuration(options.ceiling ?? "5m")!);
  const { jitter = 0.1, random = Math.random } = options;
  return keptPolicies({
    async ask(known, signal) {
      const answer = await load(Object.freeze({ version: known, signal }));
      if (answer === undefined || answer === null) return undefined;
      const version = versionOf(answer);
      const called = { ...options, name: `${options.name ?? "policies"}@${version}` };
      const { policies } = answer;
      return {
        version,
        load: () =>
          typeof policies === "string"
            ? loadText(policies, called, "source")
            : loadData(policies, called, "source"),
      };
    },
    pause(failures) {
      const wait = Math.min(ceiling, every * 2 ** Math.min(failures, 30));
      return Math.max(1, Math.round(wait * (1 - jitter * random())));
    },
    deadline: parseDuration(options.deadline ?? "10s")!,
    after: options.after ?? after,
    tell: errorHook(options.onError),
  });
}

function versionOf(answer: PolicyVersion): string {
  const { version } = answer as { version?: unknown };
  if (typeof version === "string" || typeof version === "number") return String(version);
  const expected = "an object with version, a string or a number, and policies; or undefined";
  throw new ConfigError([{ path: "load", expected, received: received(version ?? answer) }]);
}
