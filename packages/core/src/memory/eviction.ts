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

/** How many places of spared policies one eviction visits at most: their keys are met, but not all each time. */
const sparedPlaces = 32;

/**
 * Evicts the first by rank of the next keys under the evicting hands: equally many of each policy that is not spared,
 * since a policy whose keys are all exhausted would else lose some for the crowd of another.
 */
export function makeRoom(registers: Registers, now: number): void {
  const { order, census } = registers;
  const size = sizeOfCrowds(census);
  let [crowds, rows] = [0, 0];
  for (const { table } of order) {
    if (table.size < size) continue;
    crowds++;
    rows += table.size;
  }
  const each = Math.ceil(compared / crowds);
  let loser: Register | undefined;
  const place: Place = { segment: order[0]!.seen.segment, at: 0 };
  let most = -Infinity;
  let spare = sparedPlaces;
  for (let left = Math.min(compared, rows); left > 0; passOn(registers, "evicting")) {
    const register = order[registers.evicting]!;
    const { seen, table } = register;
    const spared = table.size < size;
    for (let here = spared ? 1 : Math.min(each, table.size, left); here > 0; ) {
      if (spared && spare-- <= 0) break;
      if (step(register, table.evicting) !== "row") continue;
      here--;
      if (!spared) left--;
      const rank = rankOf(seen, spared, now);
      if (rank === first) {
        drop(register, seen);
        return;
      }
      if (rank <= most) continue;
      loser = register;
      most = rank;
      place.segment = seen.segment;
      place.at = seen.at;
    }
  }
  if (loser) drop(loser, place);
}

/** Returns the size, a power of two, below which policies are spared. */
function sizeOfCrowds({ rows, bySize }: Census): number {
  let bits = 0;
  for (let sum = 0; sum * compared < rows; sum += bySize[bits]!) bits++;
  return 2 ** (bits - 1);
}
