/** A request's remaining budget, in fields visited: merging can take exponential time. */
export interface Work {
  grant(fields: number): void;
  /** Spends one, or so many; returns false when that exceeds the rest. */
  spend(fields?: number): boolean;
  /** Whether more was requested than was left. */
  exhausted(): boolean;
}

/** Creates a budget. */
export function workOf(fields: number): Work {
  let left = fields;
  return {
    grant(more) {
      left += more;
    },
    spend(fields = 1) {
      left -= fields;
      return left >= 0;
    },
    exhausted: () => left < 0,
  };
}
