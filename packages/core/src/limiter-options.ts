import { z } from "zod";
import { checkOptions } from "./check-options.ts";
import type { Decision } from "./decision.ts";
import { ConfigError, type ConfigIssue } from "./errors.ts";
import { aFunction, oneOf } from "./expecting.ts";
import { contradictions, type PolicyOptions, policyFields, policyName } from "./policy-options.ts";
import type { Store } from "./store.ts";
import { storeField } from "./store-field.ts";

/** What all policies of a limiter share. */
export interface SharedOptions<Req = undefined> {
  /** Default: a `memoryStore()` of its own. */
  readonly store?: Store | undefined;
  /** What a request gets when the store cannot answer. Default `"open"`. */
  readonly onStoreError?: "open" | "closed" | undefined;
  /** Told of every decision. What hooks throw or reject reaches `onError` and never a request. */
  readonly onDecision?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** Told of every refusal, before it is answered. */
  readonly onRefused?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** Told of a key's first refusal, and not again until the key would be as good as never used. */
  readonly onFirstRefused?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** Told of what went wrong beside the decision: a `StoreError`, or what a hook threw. */
  readonly onError?: ((error: unknown, req: Req) => unknown) | undefined;
  /** Told, once each, of settings that look unsafe. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: Error & { readonly code: string }) => unknown) | undefined;
}

/** One policy given flat. */
export type SinglePolicy<Req, Policy = PolicyOptions<Req>> = Policy & {
  readonly policies?: undefined;
};

/** Several policies, each with a name: all are charged, or none. */
export interface ManyPolicies<Req, Policy = PolicyOptions<Req>> {
  readonly policies: readonly (Policy & { readonly name: string })[];
}

/** The options of `createLimiter`: one policy given flat, or several. */
export type LimiterOptions = (SinglePolicy<undefined> | ManyPolicies<undefined>) & SharedOptions;

/** The options of any limiter, whatever the requests are that its functions take. */
export type AnyLimiterOptions = (SinglePolicy<never> | ManyPolicies<never>) & SharedOptions<never>;

const hook = aFunction.optional();

export const sharedFields: Readonly<Record<string, z.ZodType>> = {
  store: storeField.optional(),
  onStoreError: oneOf("open", "closed").optional(),
  onDecision: hook,
  onRefused: hook,
  onFirstRefused: hook,
  onError: hook,
  onWarning: hook,
};

/** The schemas of a limiter's options, for policies with these fields and limiters with those. */
export function limiterSchemas(
  policy: z.ZodRawShape,
  shared: z.ZodRawShape,
): { readonly flat: z.ZodType; readonly many: z.ZodType } {
  const named = z.strictObject({ ...policy, name: policyName });
  return {
    flat: z.strictObject({ ...shared, ...policy, policies: z.undefined().optional() }),
    many: z.strictObject({ ...shared, policies: z.array(named).min(1) }),
  };
}

const schemas = limiterSchemas(policyFields, sharedFields);

/** Throws a `ConfigError` that names each option that does not fit; answers what was checked. */
export function checkLimiterOptions<Options>(
  options: Options,
  { flat, many }: ReturnType<typeof limiterSchemas> = schemas,
): Options {
  const several = (options as { policies?: unknown } | null | undefined)?.policies !== undefined;
  const checked = checkOptions(several ? many : flat, options);
  const policies = policiesOf<PolicyOptions<never>>(checked as AnyLimiterOptions);
  const issues: ConfigIssue[] = policies.flatMap(([policy, path]) => contradictions(policy, path));
  const names = new Set<string>();
  for (const [{ name }, path] of policies) {
    if (several && names.has(name!)) {
      issues.push({
        path: `${path}name`,
        expected: "a name no other policy has",
        received: JSON.stringify(name),
      });
    }
    names.add(name ?? "default");
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

/** The policies of checked options, each with the path where it stands. */
export function policiesOf<Policy>(
  options: SinglePolicy<never, Policy> | ManyPolicies<never, Policy>,
): [policy: Policy, path: string][] {
  return options.policies
    ? options.policies.map((policy, i) => [policy, `policies[${i}].`])
    : [[options, ""]];
}
