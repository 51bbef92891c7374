/** One problem in policies as data. */
export interface DataProblem {
  readonly path: readonly PropertyKey[];
  /** Whether the name at the path is wrong, rather than the value. */
  readonly ofName: boolean;
  readonly expected: string;
  readonly received: string;
}
