import { type Awaitable, settled } from "../awaitable.ts";
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

/** A policy with what depends on the request: size and cost may be functions, and it may be skipped. */
export interface Rule {
  readonly name: string;
  readonly space: Space;
  /** Puts the rule into effect instead of the previous one in its space. */
  takeOver(): void;
  /**
   * The policy without a tier; if a function of the request decides its size, one with placeholders, such as a limit of
   * 0.
   */
  readonly policy: Policy;
  /** The cost of every request, if limit and cost are numbers and nothing is skipped. */
  readonly cost: number | undefined;
  /** Uses the given tier, or else the request's. */
  readonly policyFor: PolicyFinder;
  /** Whether there are tiers. */
  readonly tiered: boolean;
  costOf(req: unknown): Awaitable<number>;
  /** Undefined if nothing is ever skipped. */
  readonly skips: ((req: unknown) => Awaitable<boolean>) | undefined;
}

/** What a limiter remembers of its policies while others replace them. */
export interface RuleMemory {
  /** Every policy that was made for this limiter. */
  readonly made: WeakSet<Policy>;
  /** The space of each unnamed policy, by the kind of its state. */
  readonly spaces: Map<string, Space>;
}

/** What a rule needs besides its policy's options. */
export interface RuleDeps {
  readonly store: Store;
  /** The limiter's own. */
  readonly onStoreError: "open" | "closed";
  /** Where the options are, such as `policies[1].`. */
  readonly path: string;
  readonly memory: RuleMemory;
  warn(code: string, message: string): void;
}

/**
 * Compiles the validated options of one policy. Throws a `ConfigError` for numbers that the algorithm cannot represent
 * exactly.
 */
export function createRule(
  options: PolicyOptions<never>,
  { store, onStoreError, path, memory, warn }: RuleDeps,
): Rule {
  const { cost = 1, skip, tiers } = options as PolicyOptions<unknown>;
  const fixed = fixedOf(options, onStoreError);
  const { name, algorithm } = fixed;
  const draft = draftOf(options, fixed.segments);
  const { kind } = createPolicy({ ...fixed, ...draft, space: "" }, path);
  const settings = settingsFingerprint(options);
  const space = spaceOf(store, name, settings, kind, memory.spaces, (own, later) =>
    warn("SPILLWAY_UNNAMED_LIMITERS", countTogether(own, later, algorithm)),
  );
  const make = (size: MadeSize): Policy => {
    const made = createPolicy({ ...fixed, ...size, space: space.id });
    memory.made.add(made).add(made.trying());
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

/** Returns the settings of a policy that no request changes, with defaults. */
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

/** Returns the size of a policy, with placeholders for what functions of the request decide later. */
function draftOf({ limit, burst, window }: PolicyOptions<never>, segments: number): MadeSize {
  return {
    limit: typeof limit === "number" ? limit : 0,
    burst: typeof burst === "function" ? 1 : burst,
    window: typeof window === "function" ? segments : readWindow(window)!,
  };
}
