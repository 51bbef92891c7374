import type { Charge, Policy } from "@spillway/core";

/** An operation that one request asks of Redis. */
export type Operation = Take | Give | Reset;

/** Takes charges, or only looks if `keep` is false. */
export interface Take {
  readonly type: "take";
  readonly charges: readonly Charge[];
  readonly keep: boolean;
}

/** Gives back a charge that was taken. */
export interface Give {
  readonly type: "give";
  readonly charge: Charge;
  /** When it was taken, and the state it left. */
  readonly at: number;
  readonly left: readonly number[];
}

/** Deletes the state of a key. */
export interface Reset {
  readonly type: "reset";
  readonly policy: Policy;
  readonly key: string;
}
