import type { Duration } from "../../duration.ts";
import type { PolicyOptions } from "../../options/policy-options.ts";
import type { Action } from "../action.ts";
import type { KeyOption } from "../identity/extractor.ts";
import type { OutcomeOptions } from "../outcomes.ts";
import type { HttpBanOptions } from "./http-ban-options.ts";

/** Options of a policy for HTTP requests. */
export interface HttpPolicyOptions<Req> extends PolicyOptions<Req>, OutcomeOptions<Req> {
  /** Blocks a key that was refused too often, longer each time if `factor` says so. Default: no ban. */
  readonly ban?: HttpBanOptions<Req> | undefined;
  /**
   * Whose allowance a request uses: an extractor, a list (the first that identifies it), or a function. Default
   * `[apiKey(), user(), ip()]`.
   */
  readonly key?: KeyOption<Req> | undefined;
  /**
   * What pays for a request that `key` does not identify: its address, or nothing in this policy. Default `"address"`.
   */
  readonly unidentified?: "address" | "skip" | undefined;
  /** How many units an address may use with unverified API keys, or `false`. Default: 10 × the limit. */
  readonly unverifiedCeiling?: number | false | undefined;
  /** What happens to a request that this policy refuses. Default `"block"`; `"log"` is `shadow: true`. */
  readonly action?: Action<Req> | undefined;
  /** For the action `"delay"`: how long a request is held in total. Default `"10s"`. */
  readonly maxDelay?: Duration | undefined;
}
