import type { RateStatus } from "./rate-status.ts";

/** Returns a header's value for a status; `now` is milliseconds since the epoch, by the store's clock. */
export type WriteValue = (status: RateStatus, now: number) => string;

/** A header, or one for each policy if its name contains `{policy}`. */
export type HeaderField = {
  readonly name: string;
  /** Equal for fields that always have the same value. */
  readonly meaning: string;
} & (
  | {
      /** The binding policy, or every policy: as a list, unless the name contains `{policy}`. */
      readonly of: "binding" | "each";
      /** Undefined leaves the policy out. */
      write(status: RateStatus, now: number): string | undefined;
    }
  | {
      /** Every policy's constants, as a list. */
      readonly of: "constant";
      write(status: RateStatus): string;
      /** Selects the statuses to write, if not all may be listed together. */
      pick?(statuses: readonly RateStatus[]): readonly RateStatus[];
    }
);

/** The placeholder for a policy's name in the name of a header. */
export const policyHole = "{policy}";
