import type { Charge, Policy } from "@spillway/core";

/** What one request wants of Redis. */
export type Operation = Take | Give | Reset;

export interface Take {
  readonly type: "take";
  readonly charges: readonly Charge[];
  readonly keep: boolean;
}

export interface Give {
  readonly type: "give";
  readonly charge: Charge;
  /** When it was taken, and the state that it left. */
  readonly at: number;
  readonly left: readonly number[];
}

export interface Reset {
  readonly type: "reset";
  readonly policy: Policy;
  readonly key: string;
}
