import { StoreError } from "./errors.ts";

/** What is told of a failure of a store: its own `StoreError`, or one around whatever it was. Never throws. */
export function storeFailure(cause: unknown, message: string): unknown {
  try {
    const { code } = (cause ?? {}) as { code?: unknown };
    if (code === "ERR_STORE_UNAVAILABLE") return cause;
  } catch {
    // Whatever cannot be asked for its code has none.
  }
  return new StoreError(message, cause);
}
