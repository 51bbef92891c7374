import { definedIn } from "../../options/defined-in.ts";
import type { HttpOptions, HttpSharedOptions } from "./http-options.ts";
import type { HttpPolicyOptions } from "./http-policy-options.ts";

/**
 * Merges the options of one place, such as a route, over the general ones; `name` is for the place's own policy.
 * Undefined options count as left out. Options that only made sense with what the place replaced are not inherited. If
 * either has several policies, rules or a source, the place inherits only what policies share, and nothing from a
 * source.
 */
export function overridden<Req>(
  base: HttpOptions<Req>,
  override: object,
  name: string,
): HttpOptions<Req> {
  const own = definedIn(override as Given);
  const given = definedIn(base as unknown as Given);
  const several = hasMany(given) || hasMany(own);
  const inherited = Object.entries(given).filter(([option]) =>
    several ? Object.hasOwn(shared, option) : !leftBehind(option, own),
  );
  const named = hasMany(own) ? {} : { name };
  return { ...Object.fromEntries(inherited), ...named, ...own } as unknown as HttpOptions<Req>;
}

/** Returns the general option that keeps a place from inheriting a limit and a window, if there is one. */
export function inheritsNoPolicy(
  base: object,
  override: object,
): "rules" | "policies" | "source" | undefined {
  if (hasMany(definedIn(override as Given))) return undefined;
  return severals.find((one) => (base as Given)[one] !== undefined);
}

const severals = ["rules", "policies", "source"] as const;

type Given = Readonly<Record<string, unknown>>;

function hasMany(options: Given): boolean {
  return severals.some((one) => options[one] !== undefined);
}

const shared = {
  store: true,
  onStoreError: true,
  onDecision: true,
  onRefused: true,
  onFirstRefused: true,
  onNearLimit: true,
  nearLimit: true,
  shadow: true,
  allow: true,
  deny: true,
  denyStatus: true,
  maxHeld: true,
  onError: true,
  onWarning: true,
  headers: true,
  reset: true,
  body: true,
  status: true,
  trustProxy: true,
  ipv6Prefix: true,
  exposeHeaders: true,
  throw: true,
} satisfies Record<keyof HttpSharedOptions<never>, true>;

/** What each option of a policy depends on: it is not inherited if the place gives one of these. */
const dependsOn: Readonly<Record<string, readonly string[]>> = {
  name: [],
  limit: [],
  window: [],
  algorithm: [],
  burst: ["algorithm", "limit"],
  segments: ["algorithm"],
  align: ["algorithm"],
  timeZone: ["algorithm"],
  delay: ["algorithm"],
  tier: [],
  tiers: ["limit", "window", "algorithm"],
  cost: [],
  skip: [],
  shadow: [],
  countRefused: [],
  ban: [],
  onStoreError: [],
  key: [],
  unidentified: [],
  unverifiedCeiling: ["limit"],
  action: [],
  maxDelay: ["action"],
  count: ["refund"],
  refund: ["count"],
  resetOn: [],
} satisfies Record<keyof HttpPolicyOptions<never>, readonly string[]>;

/** Considers only which options the place gives: comparing values would keep the tiers if the limit is repeated. */
function leftBehind(option: string, own: Given): boolean {
  // No tiers would be left to choose from.
  if (option === "tier") return own.tiers === undefined && leftBehind("tiers", own);
  if (dependsOn[option]?.some((other) => other in own)) return true;
  const calendar = own.window === "day" || own.window === "month";
  return own.window !== undefined && option === (calendar ? "align" : "timeZone");
}
