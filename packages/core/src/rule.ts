import { type Awaitable, settled } from "./awaitable.ts";
import { banOf } from "./ban.ts";
import { ConfigError, type ConfigIssue, received } from "./errors.ts";
import { createPolicy, type Policy, type PolicySettings } from "./policy.ts";
import type { PolicyOptions } from "./policy-options.ts";
import { type Size, type SizedPolicy, type SizeMeans, sizedPolicy } from "./sized-policy.ts";
import { type Space, spaceOf } from "./spaces.ts";
import type { Standing } from "./standing.ts";
import type { Store } from "./store.ts";
import { type PolicyFinder, tiersOf } from "./tiers.ts";
import { truthOf } from "./truth.ts";
import { wholeOf } from "./whole.ts";
import { readWindow } from "./window.ts";

/** A policy with what is only known per request: its size and cost may be functions, and it may be skipped. */
export interface Rule {
  readonly name: string;
  readonly space: Space;
  /** Says that the rule holds from now on, in place of one that was in its space before. */
  takeOver(): void;
  /** The policy of those without a tier; where a function of the request decides, the policy of limit 0. */
  readonly policy: Policy;
  /** What every request costs, where limit and cost are numbers and nothing is skipped. */
  readonly cost: number | undefined;
  /** By the tier that is named, or else by that of the request. */
  readonly policyFor: PolicyFinder;
  /** Whether there are tiers. */
  readonly tiered: boolean;
  costOf(req: unknown): Awaitable<number>;
  /** Undefined where nothing is ever skipped. */
  readonly skips: ((req: unknown) => Awaitable<boolean>) | undefined;
}

/** Compiles checked options of one policy. `path` is where they stood, such as `policies[1].`. */
export function createRule(
  options: PolicyOptions<never>,
  store: Store,
  onStoreError: "open" | "closed",
  path: string,
  standing?: Pick<Standing, "made" | "spaces">,
  warn: (code: string, message: string) => void = () => {},
): Rule {
  const { limit, burst, window, cost = 1, skip, tiers } = options as PolicyOptions<unknown>;
  const name = options.name ?? "default";
  const settings: Omit<PolicySettings, "space" | "limit" | "burst" | "window"> = {
    name,
    algorithm: options.algorithm ?? "sliding-window",
    timeZone: options.timeZone ?? "UTC",
    segments: options.segments ?? 1,
    align: options.align ?? "clock",
    delay: options.delay ?? true,
    shadow: options.shadow ?? false,
    countRefused: options.countRefused ?? false,
    ban: options.ban && banOf(options.ban),
    onStoreError: options.onStoreError ?? onStoreError,
  };
  const draft: Pick<PolicySettings, "limit" | "burst" | "window"> = {
    limit: typeof limit === "number" ? limit : 0,
    burst: typeof burst === "function" ? 1 : burst,
    // What a function of the request answers is not known yet: a window that suits all segments.
    window: typeof window === "function" ? settings.segments : readWindow(window)!,
  };
  const { kind } = createPolicy({ ...settings, ...draft, space: "" }, path);
  const told = toldOf(options);
  const space = spaceOf(store, name, told, kind, standing?.spaces, (own, other) =>
    warn(
      "SPILLWAY_UNNAMED_LIMITERS",
      `Two limiters without a name share one store, and count together though their settings differ: this one has ${inWords(own)}, one made later has ${inWords(other)}, both algorithm ${settings.algorithm}. Give each of them a name, or a store of its own.`,
    ),
  );
  const own = standing?.made ?? new WeakSet<Policy>();
  const make = (sizes: typeof draft): Policy => {
    const made = createPolicy({ ...settings, ...sizes, space: space.id });
    own.add(made).add(made.trying());
    return made;
  };
  const sized = (size: Size, place: SizeMeans["place"], blame: SizeMeans["blame"]): SizedPolicy =>
    sizedPolicy(size, {
      policy: options as Pick<PolicyOptions, "algorithm" | "align">,
      make: (limit, burst, window) => make({ limit, burst, window }),
      place,
      blame,
    });
  const flat = sized(
    { limit, burst, window },
    (option) => path + option,
    ({ issues }) => new ConfigError(issues.map((i) => ({ ...i, path: path + i.path }))),
  );
  const policyFor: PolicyFinder =
    tiers === undefined
      ? flat.policyFor
      : tiersOf(options as PolicyOptions<unknown>, {
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
              ({ issues }) => new ConfigError(issues.map((i) => blamed(i, own, at))),
            );
          },
        });
  const policy = flat.constant ?? make(draft);
  const known = flat.constant !== undefined && tiers === undefined;
  return {
    name,
    space,
    takeOver: () => space.exchange(told),
    policy,
    cost: known && typeof cost === "number" && !skip ? cost : undefined,
    tiered: tiers !== undefined,
    policyFor,
    costOf:
      typeof cost === "function"
        ? (req) => settled(cost(req), (value) => wholeOf(value, `${path}cost`))
        : () => cost,
    skips: skip && ((req) => settled(skip(req), (value) => truthOf(value, `${path}skip`))),
  };
}

/** What tells policies without a name apart. */
function toldOf({ limit, window, timeZone = "UTC", tiers }: PolicyOptions<never>): string {
  const units = typeof limit === "number" ? limit : "f";
  const length = typeof window === "function" ? "f" : readWindow(window)!;
  const zone = typeof length === "number" || typeof window === "function" ? "" : ` ${timeZone}`;
  return `${units}/${length}${zone}${tiers ? ` ${JSON.stringify(tiers)}` : ""}`;
}

/** Says what `toldOf` says in words. */
function inWords(told: string): string {
  const named = (value: string, unit = ""): string =>
    value === "f" ? "by a function" : value + (/\d/.test(value) ? unit : "");
  return told.replace(
    /^(\w+)\/(\w+)/,
    (_, limit: string, window: string) => `limit ${named(limit)}, window ${named(window, " ms")}`,
  );
}

/** Says of a number that its algorithm cannot keep which of a tier's own options brought it about. */
function blamed(issue: ConfigIssue, own: Partial<Size>, at: string): ConfigIssue {
  if (issue.path in own) return { ...issue, path: at + issue.path };
  const [option = ""] = Object.keys(own);
  const expected = `a value for which ${issue.path} is ${issue.expected}`;
  return { path: at + option, expected, received: received(own[option as keyof Size]) };
}

function definedIn<T extends object>(options: T): Partial<T> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<T>;
}
