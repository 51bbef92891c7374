/** Counts the rows of all tables that share it, so that nobody has to go through the tables. */
export interface Census {
  rows: number;
  /** How many rows are in tables of which the number of rows has so many bits. */
  readonly bySize: Float64Array;
}

export function createCensus(): Census {
  return { rows: 0, bySize: new Float64Array(33) };
}

/** Takes in that a table has another number of rows than it had. */
export function recount(census: Census, was: number, is: number): void {
  census.rows += is - was;
  census.bySize[bitsOf(was)]! -= was;
  census.bySize[bitsOf(is)]! += is;
}

function bitsOf(size: number): number {
  return 32 - Math.clz32(size);
}
