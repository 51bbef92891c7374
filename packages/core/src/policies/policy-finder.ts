import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { definedIn } from "../options/defined-in.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import type { Policy, PolicySettings } from "../policy.ts";
import { type Size, type SizeDeps, type SizedPolicy, sizedPolicy } from "./sized-policy.ts";
import { type PolicyFinder, tiersOf } from "./tiers.ts";

/** What a policy finder needs. */
export interface FinderDeps {
  /** The policy's name, and the path of its options. */
  readonly name: string;
  readonly path: string;
  make(sizes: MadeSize): Policy;
  warn(code: string, message: string): void;
}

/** A size without functions. */
export type MadeSize = Pick<PolicySettings, "limit" | "burst" | "window">;

/**
 * Compiles the sizes of a policy. Returns the size without a tier, and a function that returns the policy for a
 * request. Both throw a `ConfigError` for numbers that the algorithm cannot represent exactly; the function also for
 * invalid results of functions in the options.
 */
export function policyFinder(
  options: PolicyOptions<unknown>,
  { name, path, make, warn }: FinderDeps,
): { readonly flat: SizedPolicy; readonly policyFor: PolicyFinder } {
  const { limit, burst, window, tiers } = options;
  const sized = (size: Size, place: SizeDeps["place"], blame: BlameIssue): SizedPolicy =>
    sizedPolicy(size, {
      policy: options,
      make: (units, most, length) => make({ limit: units, burst: most, window: length }),
      place,
      blame: ({ issues }) => new ConfigError(issues.map(blame)),
    });
  const flat = sized(
    { limit, burst, window },
    (option) => path + option,
    (issue) => ({ ...issue, path: path + issue.path }),
  );
  if (tiers === undefined) return { flat, policyFor: flat.policyFor };
  const policyFor = tiersOf(options, {
    flat,
    name,
    path,
    warn,
    sized: (given, tier) => {
      const own = definedIn(given) as Partial<Size>;
      const at = `${path}tiers.${tier}.`;
      return sized(
        { limit, burst, window, ...own },
        (option) => (option in own ? at : path) + option,
        (issue) => blamedOn(own, issue, at),
      );
    },
  });
  return { flat, policyFor };
}

type BlameIssue = (issue: ConfigIssue) => ConfigIssue;

/** Attributes an issue about a number to the tier's own option that caused it. */
function blamedOn(own: Partial<Size>, issue: ConfigIssue, at: string): ConfigIssue {
  if (issue.path in own) return { ...issue, path: at + issue.path };
  const [option = ""] = Object.keys(own);
  const expected = `a value for which ${issue.path} is ${issue.expected}`;
  return { path: at + option, expected, received: received(own[option as keyof Size]) };
}
