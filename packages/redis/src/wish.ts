import type { Charge, Policy } from "@spillway/core";

/** What one request wants of Redis. */
export type Wish = Take | Give | Reset;

export interface Take {
  readonly act: "take";
  readonly charges: readonly Charge[];
  readonly keep: boolean;
}

export interface Give {
  readonly act: "give";
  readonly charge: Charge;
  /** When it was taken, and the state that it left. */
  readonly at: number;
  readonly left: readonly number[];
}

export interface Reset {
  readonly act: "reset";
  readonly policy: Policy;
  readonly key: string;
}
