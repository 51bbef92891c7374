import { settled } from "../awaitable.ts";
import type { PolicyOptions, TierOptions } from "../options/policy-options.ts";

type Warn = (code: string, message: string) => void;
type Window = PolicyOptions<never>["window"];

/** Below this many milliseconds a bare number was most likely meant as seconds. */
const aSecond = 1000;

/**
 * Warns of windows and ban durations that are bare numbers below 1000, which were probably meant as seconds. Returns
 * the policy, with its window functions wrapped so that their results are checked too. `path` is its path in the
 * options.
 */
export function watchWindows<Policy extends PolicyOptions<never>>(
  policy: Policy,
  path: string,
  warn: Warn,
): Policy {
  const watched = (window: Window, option: string): Window => {
    if (typeof window !== "function") {
      look(window, option, warn);
      return window;
    }
    return (req) =>
      settled(window(req), (answer) => {
        look(answer, option, warn);
        return answer;
      });
  };
  const window = watched(policy.window, `${path}window`);
  const { tiers, ban } = policy;
  for (const time of ["for", "within", "ceiling"] as const)
    look(ban?.[time], `${path}ban.${time}`, warn);
  if (tiers === undefined) return window === policy.window ? policy : { ...policy, window };
  const own = Object.entries(tiers).map(([name, tier]): [string, TierOptions<never>] => {
    if (tier.window === undefined) return [name, tier];
    return [name, { ...tier, window: watched(tier.window, `${path}tiers.${name}.window`) }];
  });
  return { ...policy, window, tiers: Object.fromEntries(own) };
}

function look(time: unknown, option: string, warn: Warn): void {
  if (typeof time !== "number" || !(time > 0 && time < aSecond)) return;
  warn(
    "SPILLWAY_SHORT_WINDOW",
    `${option} is ${time}: a bare number means milliseconds. Write "${time}s" for seconds, or "${time}ms" to silence this warning.`,
  );
}
