/** How much may still be done for a request, in fields looked at: merging can take exponential time. */
export interface Work {
  /** Takes one; false where nothing is left. */
  spend(): boolean;
  readonly exhausted: boolean;
}

/** Grants so much work. */
export function workOf(fields: number): Work {
  let left = fields;
  return {
    spend: () => --left >= 0,
    get exhausted() {
      return left < 0;
    },
  };
}
