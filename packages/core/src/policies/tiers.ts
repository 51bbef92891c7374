import { type Awaitable, settled } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";
import type { PolicyOptions, TierOptions } from "../options/policy-options.ts";
import type { Policy } from "../policy.ts";
import type { SizedPolicy } from "./sized-policy.ts";

/** What compiling tiers needs. */
export interface TierDeps {
  /** The size without a tier. */
  readonly flat: SizedPolicy;
  /** The policy's name, and the path of its options. */
  readonly name: string;
  readonly path: string;
  /** Compiles the size of a tier. */
  sized(own: TierOptions<unknown>, tier: string): SizedPolicy;
  warn(code: string, message: string): void;
}

/** Returns the policy for a request, by the given tier or else the request's own. */
export type PolicyFinder = (req: unknown, tier?: unknown) => Awaitable<Policy>;

/** Compiles the tiers of a policy. */
export function tiersOf(
  { tier, tiers = {} }: Pick<PolicyOptions<unknown>, "tier" | "tiers">,
  { flat, name, path, sized, warn }: TierDeps,
): PolicyFinder {
  const known = new Map(Object.entries(tiers).map(([name, own]) => [name, sized(own, name)]));

  function sizeOf(chosen: unknown): SizedPolicy {
    const text = tierName(chosen, `${path}tier`);
    if (text === undefined) return flat;
    const found = known.get(text);
    if (found) return found;
    warn(
      "SPILLWAY_UNKNOWN_TIER",
      `Policy ${name} has no tier ${received(text)}, only ${[...known.keys()].join(", ")}; such requests get the limit without a tier.`,
    );
    return flat;
  }

  return (req, named) => {
    if (named !== undefined || tier === undefined) return sizeOf(named).policyFor(req);
    return settled(tier(req), (chosen) => sizeOf(chosen).policyFor(req));
  };
}

/** Returns the name of a tier, or undefined for none; throws a `ConfigError` for anything else. */
export function tierName(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  const expected = 'the name of a tier, or null, undefined or "" for none';
  throw new ConfigError([{ path, expected, received: received(value) }]);
}
