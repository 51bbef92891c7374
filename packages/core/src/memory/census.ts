/** Counts the rows of all tables that share it, so that nothing has to visit every table. */
export interface Census {
  rows: number;
  /** Rows in tables, by the bit length of the table's size. */
  readonly bySize: Float64Array;
}

/** Creates an empty census. */
export function createCensus(): Census {
  return { rows: 0, bySize: new Float64Array(33) };
}

/** Updates the census after a table's size changed. */
export function recount(census: Census, was: number, is: number): void {
  census.rows += is - was;
  census.bySize[bitsOf(was)]! -= was;
  census.bySize[bitsOf(is)]! += is;
}

function bitsOf(size: number): number {
  return 32 - Math.clz32(size);
}
