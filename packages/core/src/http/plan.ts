import type { Awaitable } from "../awaitable.ts";
import { createDecider, type Decider } from "../decisions/decider.ts";
import type { LimiterState } from "../decisions/limiter-state.ts";
import { storeKey } from "../key.ts";
import type { Limiter } from "../limiter.ts";
import { groupOf, policyEntries } from "../options/limiter-options.ts";
import { actionOf } from "./action.ts";
import type { HttpRule } from "./bill.ts";
import { byHand } from "./by-hand.ts";
import { ceilingOf } from "./ceiling.ts";
import { exposedHeaderNames, exposing } from "./headers/exposed-headers.ts";
import { fieldsOf, type HeaderChoice, retryAfterRule } from "./headers/header-choice.ts";
import { type HeaderPair, type HeaderWriter, headerWriter } from "./headers/rate-headers.ts";
import { apiKey } from "./identity/api-key.ts";
import { type Extractor, extractorOf, type KeyOption } from "./identity/extractor.ts";
import { ip, user } from "./identity/extractors.ts";
import { compileLists, type Lists } from "./identity/lists.ts";
import { listedBy } from "./identity/own-keys.ts";
import { defaultIpv6Prefix } from "./identity/prefixes.ts";
import { watchKeys } from "./identity/watched-keys.ts";
import type { HttpSharedOptions, KnownOptions } from "./options/http-options.ts";
import type { HttpPolicyOptions } from "./options/http-policy-options.ts";
import { outcomeTestsOf } from "./outcomes.ts";
import type { RequestContext } from "./request-context.ts";
import type { RefusalOptions } from "./response/refusal.ts";
import { type Choice, chooserOf } from "./rule-choice.ts";

/** The compiled options of a guard. A request is decided by one plan from beginning to end. */
export interface Plan {
  readonly decider: Decider;
  /** Reads and resets keys by hand. */
  readonly limiter: Limiter;
  readonly rules: readonly HttpRule[];
  /** Undefined if every policy applies to every request. */
  readonly choose: ((context: RequestContext) => Awaitable<Choice>) | undefined;
  readonly lists: Lists | undefined;
  /** The extractors whose keys entries of `allow` and `deny` can name. */
  readonly listed: readonly Extractor[];
  /** Whether a request that does not fit may still be allowed, or be held and decided again. */
  readonly retriesRefused: boolean;
  /** Whether a policy answers refused requests in its own way. */
  readonly hasChallenge: boolean;
  /** Whether the outcome of a request affects its charges. */
  readonly hasOutcomes: boolean;
  /** Undefined if there are no headers. */
  readonly headers: HeaderWriter | undefined;
  /** Exposes headers to scripts of other origins; undefined if it must not. */
  readonly exposed: readonly HeaderPair[] | undefined;
  readonly refusal: RefusalOptions;
  /** For requests that a list denies. */
  readonly denial: RefusalOptions;
  readonly maxHeld: number;
  readonly held: HeldRequests;
}

/** The requests that a guard holds, under all of its plans. */
export interface HeldRequests {
  count: number;
  /** Counts requests told to wait, so that not all ask again at once. */
  turn: number;
}

const defaultKey: KeyOption<never> = Object.freeze([apiKey(), user(), ip()]);

/** Compiles checked options. Throws a `ConfigError` that names what cannot be represented exactly. */
export function planOf(
  options: KnownOptions<never>,
  state: LimiterState,
  held: HeldRequests,
): Plan {
  const decider = createDecider(options, state);
  const policies = policyEntries<HttpPolicyOptions<never>>(options);
  for (const [{ tier, tiers }, path] of policies) {
    if (tiers !== undefined && tier === undefined)
      decider.warn("SPILLWAY_TIERS_UNUSED", unused(path));
  }
  const tiers = policies.map(([{ tier }]) => tier);
  const extractors = new Map<KeyOption<never>, Extractor>();
  const rules = policies.map(([policy, path], i): HttpRule => {
    const {
      key = defaultKey,
      unidentified = "address",
      unverifiedCeiling,
      action,
      maxDelay,
      tier,
    } = policy;
    const extractor = extractors.get(key) ?? extractorOf(key, `${path}key`);
    extractors.set(key, extractor);
    return {
      ...decider.rules[i]!,
      extractor,
      sharedTier: tiers.indexOf(tier) === tiers.lastIndexOf(tier) ? undefined : tier,
      ...outcomeTestsOf(policy, path),
      unidentified,
      unverifiedCeiling,
      action: actionOf(action, maxDelay),
      blocked: policy.ban,
    };
  });
  const lists = compileLists(options, "");
  const { body = "json", throw: throws = false } = options;
  const answers = { body, throw: throws } as const;
  return {
    decider,
    limiter: limiterBy(decider, policies, rules, options.ipv6Prefix),
    rules,
    choose: options.rules && chooserOf(options, grouped(options.rules, rules)),
    lists,
    listed: lists ? listedBy([...extractors.values()], lists.mayName) : [],
    retriesRefused:
      lists?.late === true || rules.some((rule) => rule.action?.maxDelay !== undefined),
    hasChallenge: rules.some((rule) => rule.action?.challenge !== undefined),
    hasOutcomes: rules.some(({ refunds, resets }) => refunds ?? resets),
    ...headerPlan(options, rules),
    refusal: { ...answers, status: options.status ?? 429, retryAfter: retryRuleOf(options) },
    denial: { ...answers, status: options.denyStatus ?? 403, retryAfter: undefined },
    maxHeld: options.maxHeld ?? 1000,
    held,
  };
}

function unused(path: string): string {
  return `${path}tiers are given, and no ${path}tier that chooses one: every request is limited as one without.`;
}

type Shared = HttpSharedOptions<never>;

function choicesOf({ headers = "legacy" }: Shared): readonly HeaderChoice[] {
  return headers === false ? [] : ([headers].flat() as HeaderChoice[]);
}

function headerPlan(
  options: Shared,
  rules: readonly HttpRule[],
): Pick<Plan, "headers" | "exposed"> {
  const choices = choicesOf(options);
  const names = rules.map(({ name }) => name);
  return {
    headers:
      choices.length === 0 ? undefined : headerWriter(fieldsOf(choices, options.reset ?? "epoch")),
    exposed: options.exposeHeaders ? exposing(exposedHeaderNames(choices, names)) : undefined,
  };
}

function retryRuleOf(options: Shared): RefusalOptions["retryAfter"] {
  return retryAfterRule(choicesOf(options));
}

/** Returns the policies of each rule, which are consecutive. */
function grouped(
  options: NonNullable<KnownOptions<never>["rules"]>,
  rules: readonly HttpRule[],
): HttpRule[][] {
  let from = 0;
  return options.map((rule) => {
    const { length } = groupOf<HttpPolicyOptions<never>>(rule, "", undefined);
    from += length;
    return rules.slice(from - length, from);
  });
}

function limiterBy(
  decider: Decider,
  policies: readonly (readonly [HttpPolicyOptions<never>, string])[],
  rules: readonly HttpRule[],
  ipv6Prefix = defaultIpv6Prefix,
): Limiter {
  const limiter = byHand(
    decider,
    policies.map(([{ cost }]) => typeof cost === "function"),
  );
  const whole: Limiter = {
    ...limiter,
    async reset(key, options) {
      await limiter.reset(key, options);
      const named = storeKey(key);
      const wanted = rules.filter(({ name }) => [undefined, name].includes(options?.policy));
      const ceilings = wanted.map(({ policy }) => ceilingOf(policy, undefined));
      await decider.resetOrReject(ceilings, named);
    },
  };
  const extractors = rules.map(({ extractor }) => extractor);
  return watchKeys(whole, { extractors, ipv6Prefix }, decider.warn);
}
