import { settled } from "../awaitable.ts";
import type { PolicyOptions, TierOptions } from "../options/policy-options.ts";

type Warn = (code: string, message: string) => void;
type Window = PolicyOptions<never>["window"];

/** Below this many milliseconds a bare number was most likely meant as seconds. */
const aSecond = 1000;

/**
 * Warns of windows, a policy's own and those of its tiers, and of the times of a ban that are bare numbers below a
 * second: where they were meant as seconds, next to nothing is limited. A text says its unit and is not warned of. Answers the policy, with functions that warn
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
    `${option} is ${time}, and a number is milliseconds: that is over at once. Where seconds are meant, write "${time}s"; where milliseconds are, "${time}ms" says so.`,
  );
}
