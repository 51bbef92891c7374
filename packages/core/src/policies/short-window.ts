import { settled } from "../awaitable.ts";
import type { PolicyOptions, TierOptions } from "../options/policy-options.ts";

type Warn = (code: string, message: string) => void;
type Window = PolicyOptions<never>["window"];

/** Below this many milliseconds a bare number was most likely meant as seconds. */
const aSecond = 1000;

/**
 * Warns of windows, a policy's own and those of its tiers, that are bare numbers below a second: where they were meant as
 * seconds, nothing is limited. A text says its unit and is not warned of. Answers the policy, with functions that warn
 * of what they answer. `path` is where it stands.
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
  const { tiers } = policy;
  if (tiers === undefined) return window === policy.window ? policy : { ...policy, window };
  const own = Object.entries(tiers).map(([name, tier]): [string, TierOptions<never>] => {
    if (tier.window === undefined) return [name, tier];
    return [name, { ...tier, window: watched(tier.window, `${path}tiers.${name}.window`) }];
  });
  return { ...policy, window, tiers: Object.fromEntries(own) };
}

function look(window: unknown, option: string, warn: Warn): void {
  if (typeof window !== "number" || !(window > 0 && window < aSecond)) return;
  warn(
    "SPILLWAY_SHORT_WINDOW",
    `${option} is ${window}, and a number is milliseconds: that limits next to nothing. Where seconds are meant, write "${window}s"; where milliseconds are, "${window}ms" says so.`,
  );
}
