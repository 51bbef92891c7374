import { memoryStore } from "../memory-store.ts";
import type { AnyLimiterOptions } from "../options/limiter-options.ts";
import type { Space } from "../policies/spaces.ts";
import type { Policy } from "../policy.ts";
import type { Store } from "../store.ts";
import { firstRefusals } from "./first-refusal.ts";

/** What a limiter keeps when other policies take the place of its own while it runs. */
export interface LimiterState {
  readonly store: Store;
  /** Codes of warnings that were told. */
  readonly warned: Set<string>;
  readonly isFirst: ReturnType<typeof firstRefusals>;
  /** Every policy that was made for this limiter. */
  readonly made: WeakSet<Policy>;
  /** Where a policy without a name keeps its counts, by what the numbers mean. */
  readonly spaces: Map<string, Space>;
}

/** Makes the state of a new limiter. */
export function limiterState({ store }: Pick<AnyLimiterOptions, "store">): LimiterState {
  return {
    store: store ?? memoryStore(),
    warned: new Set(),
    isFirst: firstRefusals(),
    made: new WeakSet(),
    spaces: new Map(),
  };
}
