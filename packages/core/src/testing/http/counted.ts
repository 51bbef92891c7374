import type { Handler } from "./app.ts";

/** A handler that counts, and keeps the decisions it was called with. */
export interface Counted extends Handler {
  readonly decisions: unknown[];
}

/** Creates a counting handler. */
export function counted(handler: Handler = {}): Counted {
  const decisions: unknown[] = [];
  return {
    ...handler,
    decisions,
    reached(decision) {
      decisions.push(decision);
      handler.reached?.(decision);
    },
  };
}
