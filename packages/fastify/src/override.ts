import type { HttpOptions, HttpPolicyOptions, HttpSharedOptions } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";

type Policy = HttpPolicyOptions<FastifyRequest>;
type Shared = HttpSharedOptions<FastifyRequest>;

/** What a route says about its limit: `false` exempts it, options override the plugin's. */
export type RouteRateLimit =
  | false
  | ({ readonly [Option in keyof Policy]?: Policy[Option] | undefined } & Shared & {
        readonly policies?: undefined;
      })
  | Extract<HttpOptions<FastifyRequest>, { readonly policies: readonly unknown[] }>;

/**
 * Merges the options of a route over those of the plugin. What is undefined is not given. Options that only made sense
 * with what the route replaced stay behind; a route with several policies, or below a plugin with several, inherits
 * only what policies share.
 */
export function overridden(
  base: HttpOptions<FastifyRequest>,
  override: object,
  name: string,
): HttpOptions<FastifyRequest> {
  const own = definedIn(override);
  const several = base.policies !== undefined || own.policies !== undefined;
  const inherited = Object.entries(definedIn(base)).filter(([option]) =>
    several ? shared.has(option) : !leftBehind(option, base, own),
  );
  const named = own.policies === undefined ? { name } : {};
  return { ...Object.fromEntries(inherited), ...named, ...own } as HttpOptions<FastifyRequest>;
}

const shared: ReadonlySet<string> = new Set(
  Object.keys({
    store: true,
    onStoreError: true,
    onDecision: true,
    onRefused: true,
    onFirstRefused: true,
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

/** What an option of the plugin says something about. */
const about: Readonly<Record<string, readonly string[]>> = {
  burst: ["algorithm", "limit"],
  unverifiedCeiling: ["limit"],
  segments: ["algorithm"],
  align: ["algorithm"],
  timeZone: ["algorithm"],
  delay: ["algorithm"],
};

type Given = Readonly<Record<string, unknown>>;

function leftBehind(option: string, base: HttpOptions<FastifyRequest>, own: Given): boolean {
  const replaced = (other: string): boolean =>
    other in own && own[other] !== ((base as unknown as Given)[other] ?? standard[other]);
  if (about[option]?.some(replaced)) return true;
  const calendar = own.window === "day" || own.window === "month";
  return own.window !== undefined && option === (calendar ? "align" : "timeZone");
}

const standard: Given = { algorithm: "sliding-window" };

function definedIn(options: object): Given {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
