import { type Awaitable, settled } from "../awaitable.ts";
import type { LimiterState } from "../decisions/limiter-state.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { createPolicy, type Policy, type PolicySettings } from "../policy.ts";
import type { Store } from "../store.ts";
import { truthOf } from "../truth.ts";
import { wholeOf } from "../whole.ts";
import { banOf } from "./ban.ts";
import { type MadeSize, policyFinder } from "./policy-finder.ts";
import { defaultPolicyName } from "./policy-name.ts";
import { type Space, spaceOf } from "./spaces.ts";
import type { PolicyFinder } from "./tiers.ts";
import { countTogether, settingsFingerprint } from "./unnamed-settings.ts";
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

/**
 * Compiles checked options of one policy. `path` is where they stood, such as `policies[1].`. Throws a `ConfigError` for
 * numbers that the algorithm cannot keep exactly.
 */
export function createRule(
  options: PolicyOptions<never>,
  store: Store,
  onStoreError: "open" | "closed",
  path: string,
  state?: Pick<LimiterState, "made" | "spaces">,
  warn: (code: string, message: string) => void = () => {},
): Rule {
  const { cost = 1, skip, tiers } = options as PolicyOptions<unknown>;
  const fixed = fixedOf(options, onStoreError);
  const { name, algorithm } = fixed;
  const draft = draftOf(options, fixed.segments);
  const { kind } = createPolicy({ ...fixed, ...draft, space: "" }, path);
  const settings = settingsFingerprint(options);
  const space = spaceOf(store, name, settings, kind, state?.spaces, (own, later) =>
    warn("SPILLWAY_UNNAMED_LIMITERS", countTogether(own, later, algorithm)),
  );
  const mine = state?.made ?? new WeakSet<Policy>();
  const make = (size: MadeSize): Policy => {
    const made = createPolicy({ ...fixed, ...size, space: space.id });
    mine.add(made).add(made.trying());
    return made;
  };
  const means = { name, path, make, warn };
  const { flat, policyFor } = policyFinder(options as PolicyOptions<unknown>, means);
  const known = flat.constant !== undefined && tiers === undefined;
  return {
    name,
    space,
    takeOver: () => space.exchange(settings),
    policy: flat.constant ?? make(draft),
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

/** What of a policy's settings no request changes, with their defaults. */
function fixedOf(
  options: PolicyOptions<never>,
  onStoreError: "open" | "closed",
): Omit<PolicySettings, "space" | keyof MadeSize> {
  return {
    name: options.name ?? defaultPolicyName,
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
}

/** The size of a policy, with what suits any in place of what a function of the request answers later. */
function draftOf({ limit, burst, window }: PolicyOptions<never>, segments: number): MadeSize {
  return {
    limit: typeof limit === "number" ? limit : 0,
    burst: typeof burst === "function" ? 1 : burst,
    window: typeof window === "function" ? segments : readWindow(window)!,
  };
}
