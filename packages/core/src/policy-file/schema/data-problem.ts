/** One thing that is wrong with policies as data. */
export interface DataProblem {
  readonly path: readonly PropertyKey[];
  /** Whether it is the name at the path that is wrong, rather than the value. */
  readonly ofName: boolean;
  readonly expected: string;
  readonly received: string;
}
