import { type Awaitable, settled } from "../awaitable.ts";
import type { HttpRule } from "./bill.ts";
import { compileMatches } from "./match/compile-matches.ts";
import type { ManyRules, RuleOptions } from "./options/rule-options.ts";
import type { RequestContext } from "./request-context.ts";

/** The policies that charge a request, or the name of the rule that exempts it. */
export type Choice = readonly HttpRule[] | string;

const nothing: Choice = Object.freeze([]);

/**
 * Compiles which rules apply to which requests; `groups[i]` are the policies of rule i. Choosing throws or rejects if a
 * function of a match does, or returns something invalid.
 */
export function chooserOf(
  { rules, matching }: ManyRules<never>,
  groups: readonly (readonly HttpRule[])[],
): (context: RequestContext) => Awaitable<Choice> {
  const matches = compileMatches(
    rules.map(({ match }) => match),
    "rules",
  );
  const choices = rules.map(({ name, unlimited }, i): Choice => (unlimited ? name : groups[i]!));
  if (matching === "first") {
    const chosen = (at: number): Choice => choices[at] ?? nothing;
    return (context) => settled(matches.first(context), chosen);
  }
  const applying = replacing(rules);
  const combined = (matched: readonly number[]): Choice => combine(applying(matched), choices);
  return (context) => settled(matches.all(context), combined);
}

/** Combines the policies of rules; a rule without limits exempts a request from all others. */
function combine(matched: readonly number[], choices: readonly Choice[]): Choice {
  if (matched.length === 1) return choices[matched[0]!]!;
  const policies: HttpRule[] = [];
  for (const at of matched) {
    const choice = choices[at]!;
    if (typeof choice === "string") return choice;
    for (const policy of choice) policies.push(policy);
  }
  return policies;
}

/** Returns a function that drops rules replaced by others which apply themselves. */
function replacing(
  rules: readonly RuleOptions<never>[],
): (matched: readonly number[]) => readonly number[] {
  const at = new Map(rules.map(({ name }, i) => [name, i] as const));
  const replaced = rules.map(({ replaces = [] }) => replaces.map((name) => at.get(name)!));
  const ranks = ranksOf(replaced);
  return (matched) => {
    if (matched.length < 2 || !matched.some((one) => replaced[one]!.length > 0)) return matched;
    const out = new Set<number>();
    // A rule comes before those it replaces: one that is dropped replaces none.
    for (const one of [...matched].sort((a, b) => ranks[a]! - ranks[b]!)) {
      if (!out.has(one)) for (const other of replaced[one]!) out.add(other);
    }
    return matched.filter((one) => !out.has(one));
  };
}

/** Ranks rules so that each comes before those that it replaces; there are no cycles. */
function ranksOf(replaced: readonly (readonly number[])[]): number[] {
  const ranks: number[] = [];
  let last = replaced.length;
  const visit = (one: number): void => {
    if (ranks[one] !== undefined) return;
    for (const other of replaced[one]!) visit(other);
    ranks[one] = last--;
  };
  for (let i = 0; i < replaced.length; i++) visit(i);
  return ranks;
}
