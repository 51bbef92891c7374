import type { Census } from "./census.ts";
import { first, rankOf } from "./rank.ts";
import { drop, type Register, step } from "./register.ts";
import { passOn, type Registers } from "./registers.ts";
import type { Place } from "./table.ts";

/**
 * How many keys are compared for one eviction. The smallest policies, which have less than one in so many keys, are
 * spared.
 */
const compared = 32;

/** Evicts the first by rank of the next keys under the evicting hand. */
export function makeRoom(registers: Registers, now: number): void {
  const { order, census } = registers;
  const size = sizeOfCrowds(census);
  let loser: Register | undefined;
  const place: Place = { segment: order[0]!.seen.segment, at: 0 };
  let most = -Infinity;
  for (let left = Math.min(compared, census.rows); left > 0; ) {
    const register = order[registers.evicting]!;
    const met = step(register, register.table.evicting);
    if (met === "end") passOn(registers, "evicting");
    if (met !== "row") continue;
    const { seen, table } = register;
    const spared = table.size < size;
    // Visits one key of a spared policy in passing: otherwise the hand might meet nothing else.
    if (spared) passOn(registers, "evicting");
    else left--;
    const rank = rankOf(seen, spared, now);
    if (rank <= most) continue;
    loser = register;
    most = rank;
    place.segment = seen.segment;
    place.at = seen.at;
    if (rank === first) break;
  }
  if (loser) drop(loser, place);
}

/** Returns the size, a power of two, below which policies are spared. */
function sizeOfCrowds({ rows, bySize }: Census): number {
  let bits = 0;
  for (let sum = 0; sum * compared < rows; sum += bySize[bits]!) bits++;
  return 2 ** (bits - 1);
}
