import { z } from "zod";
import type { Decision, PolicyStatus } from "../decision.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { defaultPolicyName } from "../policies/policy-name.ts";
import type { Store } from "../store.ts";
import { checkOptions } from "./check-options.ts";
import { aFunction, expecting, oneOf, trueOrFalse } from "./expecting.ts";
import { onlyOverHttp } from "./over-http.ts";
import { contradictions, type PolicyOptions, policyName, policyShape } from "./policy-options.ts";
import { storeSchema } from "./store-schema.ts";

/** Options shared by all policies of a limiter. */
export interface SharedOptions<Req = undefined> {
  /** Default: its own `memoryStore()`. */
  readonly store?: Store | undefined;
  /**
   * Makes every policy decide and report, but never refuse. Default `false`; a policy's own option takes precedence.
   */
  readonly shadow?: boolean | undefined;
  /** Whether to admit (`"open"`) or refuse (`"closed"`) requests when the store cannot answer. Default `"open"`. */
  readonly onStoreError?: "open" | "closed" | undefined;
  /** Called for every decision. What hooks throw or reject goes to `onError`, never to a request. */
  readonly onDecision?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** Called for every refusal, before the response. */
  readonly onRefused?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** Called for a key's first refusal, and not again until the key would be as if never used. */
  readonly onFirstRefused?: ((decision: Decision, req: Req) => unknown) | undefined;
  /** The part of a limit that counts as near, above 0 and below 1. Default 0.8. */
  readonly nearLimit?: number | undefined;
  /** Called when a request takes a key's use near a limit, once each time the use crosses from below. */
  readonly onNearLimit?:
    | ((decision: Decision, req: Req, status: PolicyStatus) => unknown)
    | undefined;
  /** Called with errors that are not part of a decision: a `StoreError`, or what a hook threw. */
  readonly onError?: ((error: unknown, req: Req) => unknown) | undefined;
  /** Called with warnings about settings that look unsafe, once per code. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: Error & { readonly code: string }) => unknown) | undefined;
}

/** A single policy, given flat. */
export type SinglePolicy<Req, Policy = PolicyOptions<Req>> = Policy & {
  readonly policies?: undefined;
  readonly rules?: undefined;
  readonly source?: undefined;
};

/** Several named policies: all are charged, or none. */
export interface ManyPolicies<Req, Policy = PolicyOptions<Req>> {
  readonly policies: readonly (Policy & { readonly name: string })[];
  readonly rules?: undefined;
  readonly source?: undefined;
}

/** Policies in groups; what the groups are for is not known here. */
export interface ManyGroups<Policy> {
  readonly rules: readonly (Policy | Group<Policy>)[];
  readonly policies?: undefined;
  readonly source?: undefined;
}

/** Several policies of one group, or none. */
type Group<Policy> =
  | { readonly policies: readonly Policy[]; readonly unlimited?: undefined }
  | { readonly unlimited: true; readonly policies?: undefined };

/** The options of `createLimiter`: one policy given flat, or several. */
export type LimiterOptions = (SinglePolicy<undefined> | ManyPolicies<undefined>) & SharedOptions;

/** The options of any limiter, whatever requests its functions take. */
export type AnyLimiterOptions = (
  | SinglePolicy<never>
  | ManyPolicies<never>
  | ManyGroups<PolicyOptions<never>>
) &
  SharedOptions<never>;

const hook = aFunction.optional();

/** The fields of these options, for strict object schemas. */
export const sharedShape: Readonly<Record<string, z.ZodType>> = {
  store: storeSchema.optional(),
  shadow: trueOrFalse.optional(),
  onStoreError: oneOf("open", "closed").optional(),
  onDecision: hook,
  onRefused: hook,
  onFirstRefused: hook,
  nearLimit: expecting(
    "a number above 0 and below 1",
    (value) => typeof value === "number" && value > 0 && value < 1,
    (value) =>
      typeof value === "number" && value > 1 && value < 100
        ? ` (did you mean ${value / 100}?)`
        : "",
  ).optional(),
  onNearLimit: hook,
  onError: hook,
  onWarning: hook,
};

const notHere: z.ZodType = expecting(
  "nothing: only one of a policy given flat, policies, rules or a source (rules and sources are for HTTP only)",
  (value) => value === undefined,
).optional();

/** Mutually exclusive ways to give policies: with one, the others must be undefined. */
export const otherKinds: Readonly<Record<"policies" | "rules" | "source", z.ZodType>> = {
  policies: notHere,
  rules: notHere,
  source: notHere,
};

/** Returns the schema for some options: several policies, or one given flat. */
export type SchemaOf = (options: unknown) => z.ZodType;

/** Creates the schemas of a limiter's options from the fields of its policies and the shared ones. */
export function limiterSchemas(policy: z.ZodRawShape, shared: z.ZodRawShape): SchemaOf {
  const named = z.strictObject({ ...policy, name: policyName });
  const flat = z.strictObject({ ...shared, ...policy, ...otherKinds });
  const many = z.strictObject({ ...shared, ...otherKinds, policies: z.array(named).min(1) });
  return (options) => (given(options, "policies") ? many : flat);
}

/** Whether an option is given. */
export function given(options: unknown, name: string): boolean {
  return (options as Readonly<Record<string, unknown>> | null | undefined)?.[name] !== undefined;
}

const schemaOf = limiterSchemas(policyShape, sharedShape);

/** Validates options. Throws a `ConfigError` naming each invalid option; returns the validated values. */
export function checkLimiterOptions<Options>(
  options: Options,
  schema: SchemaOf = schemaOf,
): Options {
  const withoutHttp = schema === schemaOf;
  if (withoutHttp) refuseKindsOverHttp(options);
  const elsewhere = withoutHttp ? onlyOverHttp : undefined;
  const checked = checkOptions(schema(options), options, "", elsewhere);
  const policies = policyEntries<PolicyOptions<never>>(checked as AnyLimiterOptions);
  const issues: ConfigIssue[] = policies.flatMap(([policy, path]) => contradictions(policy, path));
  const names = new Set<string>();
  for (const [{ name = defaultPolicyName }, path] of policies) {
    if (names.has(name)) {
      const expected = "a name no other policy has";
      issues.push({ path: `${path}name`, expected, received: JSON.stringify(name) });
    }
    names.add(name);
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

/** Throws for rules and sources, which need requests, before reporting other problems, which would follow from that. */
function refuseKindsOverHttp(options: unknown): void {
  const kinds = ["rules", "source"].filter((kind) => given(options, kind));
  if (kinds.length === 0) return;
  const expected =
    "nothing: only over HTTP, by an adapter (here: one policy given flat, or policies)";
  throw new ConfigError(
    kinds.map((path) => {
      const value = (options as Readonly<Record<string, unknown>>)[path];
      return { path, expected, received: received(value) };
    }),
  );
}

type Shadowed = { readonly shadow?: boolean | undefined };

/** Returns the policies of validated options, each with its path. */
export function policyEntries<Policy extends Shadowed>(
  options: (SinglePolicy<never, Policy> | ManyPolicies<never, Policy> | ManyGroups<Policy>) &
    Shadowed,
): [policy: Policy, path: string][] {
  const { policies, rules, shadow } = options;
  if (policies) return shadowed(policies, "policies", shadow);
  if (!rules) return [[options as Policy, ""]];
  return rules.flatMap((rule, i) => groupOf(rule, `rules[${i}]`, shadow));
}

/** Returns the policies of one group: several, none, or the group itself. */
export function groupOf<Policy extends Shadowed>(
  rule: Policy | Group<Policy>,
  path: string,
  shadow: boolean | undefined,
): [policy: Policy, path: string][] {
  const { policies, unlimited } = rule as Partial<Group<Policy>>;
  if (unlimited) return [];
  if (policies) return shadowed(policies, `${path}.policies`, shadow);
  return [[inShadow(rule as Policy, shadow), `${path}.`]];
}

function shadowed<Policy extends Shadowed>(
  policies: readonly Policy[],
  path: string,
  shadow: boolean | undefined,
): [policy: Policy, path: string][] {
  return policies.map((policy, i) => [inShadow(policy, shadow), `${path}[${i}].`]);
}

function inShadow<Policy extends Shadowed>(policy: Policy, shadow: boolean | undefined): Policy {
  return shadow === undefined || policy.shadow !== undefined ? policy : { ...policy, shadow };
}
