/** How many units a key has used, in the running period and in the one before. */
export interface Demand {
  since: number;
  used: number;
  usedBefore: number;
}

/** Notes units used at a time, in periods of so many milliseconds. */
export function noteUse(demand: Demand, units: number, at: number, period: number): void {
  const passed = at - demand.since;
  if (passed < 0 || passed >= period) {
    demand.usedBefore = passed >= 0 && passed < 2 * period ? demand.used : 0;
    demand.used = 0;
    demand.since = at;
  }
  demand.used += units;
}

/** Returns the units that a key can be expected to use in a period: as many as before, or as in this one so far. */
export function expectedUse(demand: Demand, at: number, period: number): number {
  const passed = at - demand.since;
  if (passed < 0 || passed >= 2 * period) return 0;
  return passed < period ? Math.max(demand.used, demand.usedBefore) : demand.used;
}

/** Whether a key has not been used for so long that nothing can be expected of it. */
export function isIdle({ since }: Demand, at: number, period: number): boolean {
  return at < since || at - since >= 2 * period;
}
