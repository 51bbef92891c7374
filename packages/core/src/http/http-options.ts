import type { Decision } from "../decision.ts";
import {
  checkLimiterOptions,
  limiterSchemas,
  type ManyPolicies,
  type SharedOptions,
  type SinglePolicy,
  sharedFields,
} from "../limiter-options.ts";
import { type PolicyOptions, policyFields } from "../policy-options.ts";
import type { KeyOption } from "./extractor.ts";
import { httpPolicyFields, httpSharedFields } from "./fields.ts";
import type { HeaderStyle } from "./header-style.ts";
import type { TrustProxy } from "./trusted-proxies.ts";

/** A policy for requests over HTTP. */
export interface HttpPolicyOptions<Req> extends PolicyOptions<Req> {
  /** Whose allowance a request uses: an extractor, a list (the first that answers), or a function. Default `[apiKey(), user(), ip()]`. */
  readonly key?: KeyOption<Req> | undefined;
  /** Gives back what was charged, by the outcome: `"failed"` is status 400 and more, or a client that left before the head of the answer. */
  readonly refund?:
    | "failed"
    | "successful"
    | ((status: number, req: Req) => boolean | Promise<boolean>)
    | undefined;
  /** How many units an address may use with API keys that nobody verified, or `false`. Default: 10 × the limit. */
  readonly unverifiedCeiling?: number | false | undefined;
}

/** What all policies of a limiter over HTTP share. */
export interface HttpSharedOptions<Req> extends SharedOptions<Req> {
  /** Default `"legacy"`. */
  readonly headers?: HeaderStyle | readonly HeaderStyle[] | false | undefined;
  /** Of the legacy header: seconds since the epoch, or seconds from now. Default `"epoch"`. */
  readonly reset?: "epoch" | "delta" | undefined;
  /** Default `"json"`; a function's value is sent as JSON, a text as it is. */
  readonly body?: "json" | "problem" | ((decision: Decision, req: Req) => unknown) | undefined;
  /** Of a refusal. Default 429. */
  readonly status?: number | undefined;
  /** Default `"auto"`. */
  readonly trustProxy?: TrustProxy | "framework" | undefined;
  /** 32 to 128. Default 64. */
  readonly ipv6Prefix?: number | undefined;
  /** Lets scripts of other origins read the headers. Default `false`. */
  readonly exposeHeaders?: boolean | undefined;
  /** Hands refusals to the framework's error handling, as a `RateLimitError`. Default `false`: answers them. */
  readonly throw?: boolean | undefined;
}

/** The options of an adapter: one policy given flat, or several. */
export type HttpOptions<Req> = (
  | SinglePolicy<Req, HttpPolicyOptions<Req>>
  | ManyPolicies<Req, HttpPolicyOptions<Req>>
) &
  HttpSharedOptions<Req>;

const schemas = limiterSchemas(
  { ...policyFields, ...httpPolicyFields },
  { ...sharedFields, ...httpSharedFields },
);

/** Throws a `ConfigError` that names each option that does not fit; answers what was checked. */
export function checkHttpOptions<Options>(options: Options): Options {
  return checkLimiterOptions(options, schemas);
}
