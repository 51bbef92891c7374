import type { RateStatus } from "./rate-status.ts";

/** Writes what a header says of a status; `now` is milliseconds since the epoch, by the store's clock. */
export type WriteValue = (status: RateStatus, now: number) => string;

/** One header, or one for each policy where its name holds `{policy}`. */
export type HeaderField = {
  readonly name: string;
  /** Equal for fields that always say the same. */
  readonly meaning: string;
} & (
  | {
      /** Of the binding policy, or of every policy: a list, unless its name holds `{policy}`. */
      readonly of: "binding" | "each";
      /** Undefined: the policy is left out. */
      write(status: RateStatus, now: number): string | undefined;
    }
  | {
      /** Of what every policy always says: a list. */
      readonly of: "constant";
      write(status: RateStatus): string;
      /** Which statuses to write, where not all of them may stand side by side. */
      pick?(statuses: readonly RateStatus[]): readonly RateStatus[];
    }
);

/** What stands in the name of a header for the name of a policy. */
export const policyHole = "{policy}";
