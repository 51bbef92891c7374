import { type Awaitable, settled } from "./awaitable.ts";
import { banOf } from "./ban.ts";
import { parseDuration } from "./duration.ts";
import { ConfigError, received } from "./errors.ts";
import { createPolicy, type Policy, type PolicySettings } from "./policy.ts";
import type { PolicyOptions } from "./policy-options.ts";
import { type Space, spaceOf } from "./spaces.ts";
import type { Standing } from "./standing.ts";
import type { Store } from "./store.ts";
import { wholeOf } from "./whole.ts";

/** A policy with what is only known per request: its limit and cost may be functions, and it may be skipped. */
export interface Rule {
  readonly name: string;
  readonly space: Space;
  /** The policy of a constant limit; of a changing one, the policy of limit 0. */
  readonly policy: Policy;
  /** What every request costs, where limit and cost are numbers and nothing is skipped. */
  readonly cost: number | undefined;
  policyFor(req: unknown): Awaitable<Policy>;
  costOf(req: unknown): Awaitable<number>;
  /** Whether a policy is one of this limiter's, whatever its limit, and also where it was replaced meanwhile. */
  made(policy: Policy): boolean;
  /** Undefined where nothing is ever skipped. */
  readonly skips: ((req: unknown) => Awaitable<boolean>) | undefined;
}

/** How many limits of a function are kept compiled. */
const remembered = 256;

/** Compiles checked options of one policy. `path` is where they stood, such as `policies[1].`. */
export function createRule(
  options: PolicyOptions<never>,
  store: Store,
  onStoreError: "open" | "closed",
  path: string,
  standing?: Pick<Standing, "made" | "spaces">,
): Rule {
  const { limit, cost = 1, skip } = options as PolicyOptions<unknown>;
  const name = options.name ?? "default";
  const settings: Omit<PolicySettings, "space" | "limit"> = {
    name,
    algorithm: options.algorithm ?? "sliding-window",
    window:
      options.window === "day" || options.window === "month"
        ? options.window
        : parseDuration(options.window)!,
    timeZone: options.timeZone ?? "UTC",
    burst: options.burst,
    segments: options.segments ?? 1,
    align: options.align ?? "clock",
    delay: options.delay ?? true,
    shadow: options.shadow ?? false,
    countRefused: options.countRefused ?? false,
    ban: options.ban && banOf(options.ban),
    onStoreError: options.onStoreError ?? onStoreError,
  };
  const constant = typeof limit === "number" ? limit : undefined;
  const draft = createPolicy({ ...settings, space: "", limit: constant ?? 0 }, path);
  const { window, timeZone } = settings;
  const told = `${constant ?? "f"}/${typeof window === "number" ? window : `${window} ${timeZone}`}`;
  const space = spaceOf(store, name, told, draft.kind, standing?.spaces);
  const own = standing?.made ?? new WeakSet<Policy>();
  const make = (units: number): Policy => {
    const made = createPolicy({ ...settings, space: space.id, limit: units }, path);
    own.add(made);
    return made;
  };
  const policy = make(constant ?? 0);
  const policies = new Map<number, Policy>();
  const policyOf = (value: unknown): Policy => {
    const units = wholeOf(value, `${path}limit`);
    const known = policies.get(units);
    if (known) return known;
    if (policies.size >= remembered) policies.clear();
    const made = make(units);
    policies.set(units, made);
    return made;
  };
  return {
    name,
    space,
    policy,
    cost: constant !== undefined && typeof cost === "number" && !skip ? cost : undefined,
    policyFor: typeof limit === "function" ? (req) => settled(limit(req), policyOf) : () => policy,
    costOf:
      typeof cost === "function"
        ? (req) => settled(cost(req), (value) => wholeOf(value, `${path}cost`))
        : () => cost,
    made: (one) => own.has(one),
    skips: skip && ((req) => settled(skip(req), (value) => verdictOf(value, `${path}skip`))),
  };
}

function verdictOf(value: unknown, path: string): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value === true;
  throw new ConfigError([{ path, expected: "true or false", received: received(value) }]);
}
