import { ConfigError } from "../../errors.ts";
import { policyMeaning } from "../../policies/policy-meaning.ts";
import { defaultPolicyName } from "../../policies/policy-name.ts";
import { type HttpOptions, policyOptionsOf } from "./http-options.ts";

/** Remembers what policy names mean, for frameworks in which several places may use one name. */
export interface NameRegistry<Req> {
  /** Adds the policies of some options. Throws a `ConfigError` if one of their names means another limit already. */
  add(options: HttpOptions<Req>): void;
}

/** Creates an empty registry. */
export function nameRegistry<Req>(): NameRegistry<Req> {
  const meanings = new Map<string, string>();
  return {
    add(options) {
      for (const policy of policyOptionsOf(options)) {
        const name = policy.name ?? defaultPolicyName;
        const meaning = policyMeaning(policy);
        const other = meanings.get(name) ?? meaning;
        if (other !== meaning) {
          const expected = `what ${JSON.stringify(name)} stands for elsewhere (${other})`;
          throw new ConfigError([{ path: "name", expected, received: meaning }]);
        }
        meanings.set(name, meaning);
      }
    },
  };
}
