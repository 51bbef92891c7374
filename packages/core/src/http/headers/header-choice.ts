import type { ConfigIssue } from "../../errors.ts";
import { dialectFields } from "./dialect-fields.ts";
import type { HeaderDialect } from "./header-dialect.ts";
import { type DialectName, headerDialects } from "./header-dialects.ts";
import { type HeaderField, policyHole } from "./header-field.ts";
import { type HeaderStyle, headerStyles } from "./header-style.ts";
import type { RetryAfterRule } from "./retry-after.ts";
import { tokenOf } from "./structured-field.ts";

/** A style, the name of a ready-made dialect, or a dialect. */
export type HeaderChoice = HeaderStyle | DialectName | HeaderDialect;

/** Returns the headers of all choices, each once. */
export function fieldsOf(
  choices: readonly HeaderChoice[],
  reset: "epoch" | "delta",
): HeaderField[] {
  const fields = choices.flatMap((choice) =>
    typeof choice === "string" && choice in headerStyles
      ? headerStyles[choice as HeaderStyle](reset)
      : dialectFields(dialectOf(choice)!),
  );
  const names = new Set<string>();
  return fields.filter(({ name, meaning }) => {
    const key = `${name.toLowerCase()} ${meaning}`;
    return !names.has(key) && names.add(key);
  });
}

/**
 * Finds entries of the option `headers`, each valid by itself, that cannot share a response, and policies that no
 * header can be named after: the first problem of each entry.
 */
export function headerIssues(
  headers: HeaderChoice | readonly HeaderChoice[],
  reset: "epoch" | "delta",
  policies: readonly string[],
): ConfigIssue[] {
  const issues = new Map<HeaderChoice, ConfigIssue>();
  const owners = new Map<string, { meaning: string; who: string; policy?: string | undefined }>();
  const choices = [headers].flat() as HeaderChoice[];
  for (const [i, choice] of choices.entries()) {
    const path = Array.isArray(headers) ? `headers[${i}]` : "headers";
    const who = typeof choice === "string" ? choice : path;
    const wrong = (issue: ConfigIssue): void => {
      if (!issues.has(choice)) issues.set(choice, issue);
    };
    const own = (name: string, meaning: string, policy?: string): void => {
      const owner = owners.get(name.toLowerCase());
      owners.set(name.toLowerCase(), { meaning, who, policy });
      if (owner === undefined || (owner.meaning === meaning && owner.policy === policy)) return;
      const policies = owner.meaning === meaning ? [owner.policy, policy] : [];
      wrong(clash(name, path, [owner.who, who], policies));
    };
    for (const { name, meaning } of fieldsOf([choice], reset)) {
      own(name, meaning);
      if (!name.includes(policyHole)) continue;
      for (const policy of new Set(policies)) {
        if (tokenOf(policy) === policy) own(namedAfter(policy, name), meaning, policy);
        else wrong(unnameable(name, path, policy));
      }
    }
    const rule = ruleOf(choice);
    if (rule !== undefined) own("Retry-After", JSON.stringify(rule));
  }
  return [...issues.values()];
}

/** Returns how Retry-After is to be written; undefined if no dialect says. */
export function retryAfterRule(choices: readonly HeaderChoice[]): RetryAfterRule | undefined {
  return choices.map(ruleOf).find((rule) => rule !== undefined);
}

/**
 * Returns a header's name for a policy. Other limiters on the request may have policies that this one could not check.
 */
export function namedAfter(policy: string, name: string): string {
  // A function, since a policy may be called `$&`.
  return name.replaceAll(policyHole, () => tokenOf(policy));
}

function dialectOf(choice: HeaderChoice): HeaderDialect | undefined {
  return typeof choice === "string" ? headerDialects[choice as DialectName] : choice;
}

function ruleOf(choice: HeaderChoice): RetryAfterRule | undefined {
  return dialectOf(choice)?.retryAfter;
}

function clash(
  name: string,
  path: string,
  [one, other]: readonly string[],
  [policy, another]: readonly (string | undefined)[],
): ConfigIssue {
  if (policy !== undefined && another !== undefined) {
    const expected = "policies whose headers have names of their own, upper and lower case aside";
    const both = `${JSON.stringify(policy)} and ${JSON.stringify(another)}`;
    return { path, expected, received: `${both}, which both give ${name}` };
  }
  const who = one === other ? `${one}, which gives` : `${one} and ${other}, which give`;
  const expected = "styles that can share an answer";
  return { path: "headers", expected, received: `${who} ${name} two meanings` };
}

function unnameable(name: string, path: string, policy: string): ConfigIssue {
  const expected = `policies that ${name} can be named after, such as of letters, digits and -`;
  return { path, expected, received: `a policy named ${JSON.stringify(policy)}` };
}
