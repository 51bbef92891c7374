import type { HttpOptions, HttpPolicyOptions, HttpSharedOptions } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";

type Policy = HttpPolicyOptions<FastifyRequest>;
type Shared = HttpSharedOptions<FastifyRequest>;

type Options = HttpOptions<FastifyRequest>;

/** What a route says about its limit: `false` exempts it, options override the plugin's. */
export type RouteRateLimit =
  | false
  | ({ readonly [Option in keyof Policy]?: Policy[Option] | undefined } & Shared & {
        readonly policies?: undefined;
        readonly rules?: undefined;
        readonly source?: undefined;
      })
  | Extract<Options, { readonly policies: readonly unknown[] }>
  | Extract<Options, { readonly rules: readonly unknown[] }>
  | Extract<Options, { readonly source: object }>;

/**
 * Merges the options of a route over those of the plugin. What is undefined is not given. Options that only made sense
 * with what the route replaced stay behind; where one of the two has several policies, rules or a source, the route
 * inherits only what policies share, and of a source nothing.
 */
export function overridden(
  base: HttpOptions<FastifyRequest>,
  override: object,
  name: string,
): HttpOptions<FastifyRequest> {
  const own = definedIn(override);
  const several = hasMany(base) || hasMany(own);
  const inherited = Object.entries(definedIn(base)).filter(([option]) =>
    several ? shared.has(option) : !leftBehind(option, own),
  );
  const named = hasMany(own) ? {} : { name };
  return { ...Object.fromEntries(inherited), ...named, ...own } as HttpOptions<FastifyRequest>;
}

/** Says of options that are missing why the plugin's do not stand in for them. */
export function inheritsNoPolicy(
  base: HttpOptions<FastifyRequest>,
  override: object,
): string | undefined {
  if (hasMany(definedIn(override))) return undefined;
  const many = ["rules", "policies", "source"].find(
    (one) => (base as unknown as Given)[one] !== undefined,
  );
  if (many === undefined) return undefined;
  return `nothing: no limit or window is inherited, since the plugin has ${many}`;
}

function hasMany({ policies, rules, source }: Partial<Options>): boolean {
  return policies !== undefined || rules !== undefined || source !== undefined;
}

const shared: ReadonlySet<string> = new Set(
  Object.keys({
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
  } satisfies Record<keyof Shared, true>),
);

/** What an option of the plugin depends on: it stays behind where the route names one of these. */
const dependsOn: Readonly<Record<string, readonly string[]>> = {
  burst: ["algorithm", "limit"],
  unverifiedCeiling: ["limit"],
  segments: ["algorithm"],
  align: ["algorithm"],
  timeZone: ["algorithm"],
  delay: ["algorithm"],
  maxDelay: ["action"],
  tiers: ["limit", "window", "algorithm"],
  count: ["refund"],
  refund: ["count"],
};

type Given = Readonly<Record<string, unknown>>;

/** Asks only what the route names: to compare values would keep the tiers of whoever repeats the plugin's limit. */
function leftBehind(option: string, own: Given): boolean {
  // Nothing would be left to choose.
  if (option === "tier") return own.tiers === undefined && leftBehind("tiers", own);
  if (dependsOn[option]?.some((other) => other in own)) return true;
  const calendar = own.window === "day" || own.window === "month";
  return own.window !== undefined && option === (calendar ? "align" : "timeZone");
}

function definedIn(options: object): Given {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
