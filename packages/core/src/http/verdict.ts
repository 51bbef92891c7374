import type { Decision } from "../decision.ts";
import type { StoreError } from "../errors.ts";
import type { RateLimitError } from "../rate-limit-error.ts";
import type { HeaderPair } from "./headers/rate-headers.ts";
import type { Body } from "./response/body.ts";

/** What happens to a request. Adapters act on it and decide nothing. */
export type Verdict = Pass | Refusal | Gone;

const none: readonly HeaderPair[] = Object.freeze([]);

// Classes, like all that leads to a request: V8 may allocate literals in the old generation, and their requests stay
// there.

/** The handler runs. */
export class Pass {
  declare readonly kind: "pass";
  /** Undefined if this limiter has charged the request before. */
  declare readonly decision: Decision | undefined;
  /** The header fields of the response. The guard has set them, unless the framework has `setsFields`. */
  declare readonly fields: readonly HeaderPair[];

  constructor(decision: Decision | undefined, fields: readonly HeaderPair[] = none) {
    this.kind = "pass";
    this.decision = decision;
    this.fields = fields;
  }
}

/** The handler does not run; status and body are yet to be sent. */
export class Refusal {
  declare readonly kind: "refuse";
  declare readonly decision: Decision;
  declare readonly status: number;
  /** As for a request that passes; if there is no response, as for an upgrade, they are yet to be sent. */
  declare readonly fields: readonly HeaderPair[];
  declare readonly body: Body;
  /** To be thrown instead of a response, if the options ask for it. */
  declare readonly error: RateLimitError | StoreError | undefined;

  constructor(
    decision: Decision,
    status: number,
    fields: readonly HeaderPair[],
    body: Body,
    error: RateLimitError | StoreError | undefined,
  ) {
    this.kind = "refuse";
    this.decision = decision;
    this.status = status;
    this.fields = fields;
    this.body = body;
    this.error = error;
  }
}

/** The client left while its request was held: nothing runs, nothing is sent. */
export class Gone {
  declare readonly kind: "gone";
  declare readonly decision: Decision;

  constructor(decision: Decision) {
    this.kind = "gone";
    this.decision = decision;
  }
}
