import { memoryStore } from "../memory-store.ts";
import type { AnyLimiterOptions } from "../options/limiter-options.ts";
import type { Space } from "../policies/spaces.ts";
import type { Policy } from "../policy.ts";
import type { Store } from "../store.ts";
import { firstRefusals } from "./first-refusal.ts";

/** What a limiter keeps when its policies are replaced at run time. */
export interface LimiterState {
  readonly store: Store;
  /** Codes of the warnings issued. */
  readonly warned: Set<string>;
  readonly isFirst: ReturnType<typeof firstRefusals>;
  /** Every policy created for this limiter. */
  readonly made: WeakSet<Policy>;
  /** The spaces of policies without a name, by kind. */
  readonly spaces: Map<string, Space>;
}

/** Creates the state of a new limiter. */
export function limiterState({ store }: Pick<AnyLimiterOptions, "store">): LimiterState {
  return {
    store: store ?? memoryStore(),
    warned: new Set(),
    isFirst: firstRefusals(),
    made: new WeakSet(),
    spaces: new Map(),
  };
}
