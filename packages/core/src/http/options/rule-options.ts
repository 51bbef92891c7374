import { z } from "zod";
import type { ConfigIssue } from "../../errors.ts";
import { expecting, oneOf } from "../../options/expecting.ts";
import { given } from "../../options/limiter-options.ts";
import { policyName } from "../../options/policy-options.ts";
import type { Match } from "../match/match-options.ts";
import { matchSchema } from "../match/match-schema.ts";
import type { HttpPolicyOptions } from "./http-policy-options.ts";

/** The requests that a rule applies to. */
interface Scope<Req> {
  /** Unique in the limiter; also the name of a single policy. */
  readonly name: string;
  /** The requests it applies to. Default: all. */
  readonly match?: Match<Req> | undefined;
  /** With `matching: "all"`: names of rules that do not apply if this one does. */
  readonly replaces?: readonly string[] | undefined;
}

/** A rule of a limiter: which requests it applies to, and what they pay: a single policy, several, or nothing. */
export type RuleOptions<Req> =
  | (Scope<Req> &
      HttpPolicyOptions<Req> & {
        readonly name: string;
        readonly policies?: undefined;
        readonly unlimited?: undefined;
      })
  | (Scope<Req> & {
      readonly policies: readonly (HttpPolicyOptions<Req> & { readonly name: string })[];
      readonly unlimited?: undefined;
    })
  | (Scope<Req> & { readonly unlimited: true; readonly policies?: undefined });

/** Rules, and whether the first that matches a request applies or all that do. */
export interface ManyRules<Req> {
  readonly rules: readonly RuleOptions<Req>[];
  /** Which of the rules that match a request apply to it. */
  readonly matching: "first" | "all";
  readonly policies?: undefined;
  readonly source?: undefined;
}

/** The schema of the option `matching`. */
export const matchingSchema: z.ZodType = oneOf("first", "all");

/** The fields of every rule. */
export const ruleShape: Readonly<Record<string, z.ZodType>> = {
  name: policyName,
  match: matchSchema.optional(),
  replaces: z.array(policyName).min(1).optional(),
};

const notBeside = (what: string): z.ZodType =>
  expecting(`nothing beside ${what}`, (value) => value === undefined).optional();

/** Returns the schemas of rules for policies with these fields: each rule is checked as the kind it looks like. */
export function rulesSchema(policy: z.ZodRawShape): (rules: unknown) => z.ZodType {
  const named = z.strictObject({ ...policy, name: policyName });
  const flat = z.strictObject({
    ...policy,
    ...ruleShape,
    policies: notBeside("a policy given flat"),
    unlimited: notBeside("a policy given flat"),
  });
  const many = z.strictObject({
    ...ruleShape,
    policies: z.array(named).min(1),
    unlimited: notBeside("policies"),
  });
  const unlimited = z.strictObject({
    ...ruleShape,
    policies: notBeside("unlimited"),
    unlimited: expecting("true, or nothing", (value) => value === true),
  });
  const schemaOf = (rule: unknown): z.ZodType =>
    given(rule, "unlimited") ? unlimited : given(rule, "policies") ? many : flat;
  return (rules) =>
    Array.isArray(rules) && rules.length > 0
      ? z.tuple(rules.map(schemaOf) as [z.ZodType, ...z.ZodType[]])
      : z.array(flat).min(1);
}

type Named = Pick<Scope<never>, "name" | "replaces">;

/** Finds contradictions between rules that are each valid. */
export function ruleIssues(rules: readonly Named[], matching: "first" | "all"): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const wrong = (path: string, expected: string, name: string): void =>
    void issues.push({ path, expected, received: JSON.stringify(name) });
  const at = new Map<string, number>();
  rules.forEach(({ name }, i) => {
    if (at.has(name)) wrong(`rules[${i}].name`, "a name no other rule has", name);
    else at.set(name, i);
  });
  rules.forEach(({ name, replaces = [] }, i) => {
    if (matching === "first" && replaces.length > 0) {
      const expected = 'this option only with matching "all"';
      issues.push({ path: `rules[${i}].replaces`, expected, received: 'it with "first"' });
      return;
    }
    replaces.forEach((other, j) => {
      const path = `rules[${i}].replaces[${j}]`;
      if (other === name) wrong(path, "the name of another rule", other);
      else if (!at.has(other))
        wrong(path, `the name of a rule: ${[...at.keys()].join(", ")}`, other);
    });
  });
  if (issues.length > 0) return issues;
  const circle = circleIn(rules, at);
  if (circle) {
    const path = `rules[${at.get(circle[0]!)}].replaces`;
    const expected = "rules that do not replace each other in a circle";
    issues.push({ path, expected, received: circle.join(" → ") });
  }
  return issues;
}

/** Returns names of rules that replace each other in a cycle, the first again at the end. */
function circleIn(rules: readonly Named[], at: ReadonlyMap<string, number>): string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const other of rules[at.get(name)!]!.replaces ?? []) {
      const found = visit(other, [...way, name]);
      if (found) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const { name } of rules) {
    const found = visit(name, []);
    if (found) return found;
  }
  return undefined;
}
