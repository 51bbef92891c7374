import type { Policy } from "@spillway/core";

/**
 * Writes what the scripts are told of a policy, as JSON: its params, then how many numbers it keeps, then a code of where
 * its twin stands and of its flags. What follows reads that in Lua.
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

/** Writes Lua for how many numbers the policy that is called so keeps. */
export function slotsIn(p: string): string {
  return `${p}[#${p} - 1]`;
}

/**
 * Writes Lua for how many numbers stand before the ring of a log, whose entries are as many as its limit. The last of
 * them are its capacity, window, oldest entry and count.
 */
export function ringFrom(p: string): string {
  return `${slotsIn(p)} - ${p}[1]`;
}

/** Writes Lua for where its twin stands, from 1. */
export function placeIn(p: string): string {
  return `floor(${code(p)} / 4)`;
}

/** Writes Lua for whether it only looks on, and for the contrary. */
export function isShadow(p: string): string {
  return `${code(p)} % 4 > 1`;
}

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
