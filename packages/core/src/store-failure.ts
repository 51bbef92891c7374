import { StoreError } from "./errors.ts";

/**
 * Returns the error to report for a store failure: the cause if it is a `StoreError`, else one around it. Never throws.
 */
export function storeFailure(cause: unknown, message: string): unknown {
  try {
    const { code } = (cause ?? {}) as { code?: unknown };
    if (code === "ERR_STORE_UNAVAILABLE") return cause;
  } catch {
    // A value that cannot be read has no code.
  }
  return new StoreError(message, cause);
}
