import { z } from "zod";
import type { Decision } from "../../decision.ts";
import { ConfigError, received } from "../../errors.ts";
import {
  checkLimiterOptions,
  given,
  limiterSchemas,
  type ManyPolicies,
  otherKinds,
  policyEntries,
  type SchemaOf,
  type SharedOptions,
  type SinglePolicy,
  sharedShape,
} from "../../options/limiter-options.ts";
import { policyShape } from "../../options/policy-options.ts";
import { defaultPolicyName } from "../../policies/policy-name.ts";
import { type PolicySource, sourceSchema } from "../../policies/policy-source.ts";
import { actionIssues, withLogs } from "../action.ts";
import { type HeaderChoice, headerIssues } from "../headers/header-choice.ts";
import type { Listed } from "../identity/list-entry.ts";
import { outcomeIssues } from "../outcomes.ts";
import type { TrustProxyOption } from "../request-address.ts";
import { httpBanSchema } from "./http-ban-options.ts";
import type { HttpPolicyOptions } from "./http-policy-options.ts";
import { httpPolicyShape, httpSharedShape } from "./http-schemas.ts";
import { type ManyRules, matchingSchema, ruleIssues, rulesSchema } from "./rule-options.ts";

/** Options that all policies of a limiter for HTTP share. */
export interface HttpSharedOptions<Req> extends SharedOptions<Req> {
  /** Styles, dialects, or names of ready-made dialects, in which no header has two meanings. Default `"legacy"`. */
  readonly headers?: HeaderChoice | readonly HeaderChoice[] | false | undefined;
  /** The legacy reset: seconds since the epoch, or seconds from now. Default `"epoch"`. */
  readonly reset?: "epoch" | "delta" | undefined;
  /** The body of a refusal. Default `"json"`; what a function returns is sent as JSON, a string as it is. */
  readonly body?: "json" | "problem" | ((decision: Decision, req: Req) => unknown) | undefined;
  /** The status of a refusal. Default 429. */
  readonly status?: number | undefined;
  /** Whom to trust about client addresses. Default `"auto"`. */
  readonly trustProxy?: TrustProxyOption | undefined;
  /** How many bits of an IPv6 address identify a client, 32 to 128. Default 64. */
  readonly ipv6Prefix?: number | undefined;
  /** Whether scripts of other origins may read the headers. Default `false`. */
  readonly exposeHeaders?: boolean | undefined;
  /**
   * Whether refusals go to the framework's error handling, as a `RateLimitError`. Default `false`: they are answered.
   */
  readonly throw?: boolean | undefined;
  /** Who is charged nothing: addresses, networks and keys, or conditions. Takes precedence over `deny`. */
  readonly allow?: readonly Listed<Req>[] | undefined;
  /** Who is refused, whatever is left. */
  readonly deny?: readonly Listed<Req>[] | undefined;
  /** The status of a refusal by `deny`. Default 403. */
  readonly denyStatus?: number | undefined;
  /** How many requests the action `"delay"` holds at once; more are refused. Default 1000. */
  readonly maxHeld?: number | undefined;
}

/** Policies that may change while the limiter runs; other options that the source gives take precedence. */
export interface SourcedPolicies {
  readonly source: PolicySource;
  readonly policies?: undefined;
  readonly rules?: undefined;
}

/** Options of an adapter: a single policy, several, rules, or a source of these. */
export type HttpOptions<Req> = (
  | SinglePolicy<Req, HttpPolicyOptions<Req>>
  | ManyPolicies<Req, HttpPolicyOptions<Req>>
  | ManyRules<Req>
  | SourcedPolicies
) &
  HttpSharedOptions<Req>;

/** The same, with known policies. */
export type KnownOptions<Req> = Exclude<HttpOptions<Req>, { readonly source: PolicySource }>;

const policy = { ...policyShape, ...httpPolicyShape, ban: httpBanSchema.optional() };
const shared = { ...sharedShape, ...httpSharedShape };
const ungrouped = limiterSchemas(policy, shared);
const rules = rulesSchema(policy);
const { rules: _rules, ...besideRules } = otherKinds;
const { source: _source, ...besideSource } = otherKinds;
const sourced = z.strictObject({ ...shared, ...besideSource, source: sourceSchema });

const schemaOf: SchemaOf = (options) => {
  if (given(options, "source")) return sourced;
  if (!given(options, "rules")) return ungrouped(options);
  const schema = rules((options as { readonly rules: unknown }).rules);
  return z.strictObject({ ...shared, ...besideRules, rules: schema, matching: matchingSchema });
};

/** Returns the checked options. Throws a `ConfigError` that names each invalid option. */
export function checkHttpOptions<Options>(options: Options): Options {
  if (isRequest(options)) {
    // What a request carries, such as credentials, must not be in a message.
    const expected =
      'the options of a limit, such as { limit: 100, window: "1m" }: it is called once with them, and what it answers is called with requests';
    throw new ConfigError([{ path: "", expected, received: "a request" }]);
  }
  if (isApplication(options)) {
    const expected = 'the options of a limit, such as { limit: 100, window: "1m" }';
    const received = "an instance of Fastify, whose plugin is that of @spillway/fastify";
    throw new ConfigError([{ path: "", expected, received }]);
  }
  if (given(options, "source")) refuseBesideSource(options as object);
  const checked = reporting(checkLimiterOptions(options, schemaOf));
  const known = checked as HttpOptions<never>;
  const policies = policyEntries<HttpPolicyOptions<never>>(known as KnownOptions<never>);
  const issues = policies.flatMap(([policy, path]) => [
    ...actionIssues(policy, path),
    ...outcomeIssues(policy, path),
  ]);
  if (known.rules) issues.push(...ruleIssues(known.rules, known.matching));
  if (known.headers) {
    const names = policies.map(([{ name = defaultPolicyName }]) => name);
    issues.push(...headerIssues(known.headers, known.reset ?? "epoch", names));
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

/** Throws for options of policies, which only the source may define. */
function refuseBesideSource(options: object): void {
  const expected = "nothing: beside source, it stands in what that says";
  const issues = Object.entries(options).flatMap(([path, value]) =>
    Object.hasOwn(policy, path) && !Object.hasOwn(shared, path) && value !== undefined
      ? [{ path, expected, received: received(value) }]
      : [],
  );
  if (issues.length > 0) throw new ConfigError(issues);
}

/** Returns the policies of options, wherever they are; none for a source, whose policies may change at any time. */
export function policyOptionsOf<Req>(options: HttpOptions<Req>): HttpPolicyOptions<Req>[] {
  if (options.source) return [];
  return policyEntries<HttpPolicyOptions<Req>>(options as KnownOptions<Req>).map(
    ([policy]) => policy,
  );
}

/** Whether a value is a request of Node or a framework, or a Koa context: passed if `rateLimit` itself is mounted. */
function isRequest(value: unknown): boolean {
  const { method, url, headers } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof method === "string" && typeof url === "string" && typeof headers === "object";
}

/** Whether a value is a Fastify instance: passed if another framework's adapter is registered instead of the plugin. */
function isApplication(value: unknown): boolean {
  const { register, addHook } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof register === "function" && typeof addHook === "function";
}

/** Returns options with each policy that only logs in shadow mode. */
function reporting<Options>(options: Options): Options {
  const { policies, rules } = options as HttpOptions<never>;
  if (policies) return { ...options, policies: policies.map(withLogs) };
  if (!rules) return withLogs(options as object) as Options;
  const reported = rules.map((rule) => {
    if (rule.unlimited) return rule;
    return rule.policies ? { ...rule, policies: rule.policies.map(withLogs) } : withLogs(rule);
  });
  return { ...options, rules: reported };
}
