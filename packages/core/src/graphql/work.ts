/** How much may still be done for a request, in fields looked at: merging can take exponential time. */
export interface Work {
  grant(fields: number): void;
  /** Takes one, or so many; false where that is more than was left. */
  spend(fields?: number): boolean;
  /** Whether more was asked for than was left. */
  exhausted(): boolean;
}

/** Starts with so much work. */
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
