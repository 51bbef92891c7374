import type { Policy } from "@spillway/core";

/**
 * Encodes a policy for the scripts, as JSON: its params, then how many numbers its state has, then a code of its twin's
 * index and its flags. The functions below write Lua that reads it.
 */
export function policyCode(
  params: readonly number[],
  slots: number,
  place: number,
  { shadow, countRefused }: Pick<Policy, "shadow" | "countRefused">,
): string {
  const code = 4 * place + (shadow ? 2 : 0) + (countRefused ? 1 : 0);
  return `[${[...params, slots, code].join(",")}]`;
}

/** Writes Lua for how many numbers the state of the policy named `p` has. */
export function slotsIn(p: string): string {
  return `${p}[#${p} - 1]`;
}

/**
 * Writes Lua for how many numbers precede the ring of a log, which has as many entries as the limit. The last of them
 * are its capacity, window, oldest entry and count.
 */
export function ringFrom(p: string): string {
  return `${slotsIn(p)} - ${p}[1]`;
}

/** Writes Lua for the index of its twin, from 1. */
export function placeIn(p: string): string {
  return `floor(${code(p)} / 4)`;
}

/** Writes Lua for whether it is a shadow policy, which never refuses. */
export function isShadow(p: string): string {
  return `${code(p)} % 4 > 1`;
}

/** Writes Lua for whether it may refuse, as no shadow policy does. */
export function refuses(p: string): string {
  return `${code(p)} % 4 < 2`;
}

/** Writes Lua for whether it charges refused requests too. */
export function countsRefused(p: string): string {
  return `${code(p)} % 2 == 1`;
}

function code(p: string): string {
  return `${p}[#${p}]`;
}
