import { memoryStore } from "../memory-store.ts";
import type { AnyLimiterOptions } from "../options/limiter-options.ts";
import type { RuleMemory } from "../policies/rule.ts";
import type { Store } from "../store.ts";
import { firstRefusals } from "./first-refusal.ts";

/** What a limiter keeps when its policies are replaced at run time. */
export interface LimiterState extends RuleMemory {
  readonly store: Store;
  /** Codes of the warnings issued. */
  readonly warned: Set<string>;
  readonly isFirst: ReturnType<typeof firstRefusals>;
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
