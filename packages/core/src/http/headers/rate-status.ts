import { sfInteger } from "./structured-field.ts";

/** One policy's status on a request. Times are milliseconds. */
export interface RateStatus {
  readonly policy: string;
  /** The key that is charged, as in stores. */
  readonly key?: string | undefined;
  readonly limit: number;
  readonly window: number;
  readonly remaining: number;
  /** How long the same request would have to wait; `Infinity` if no wait can help. */
  readonly retryAfter: number;
  /** How long until the key is as good as never used. */
  readonly resetAfter: number;
  readonly allowed: boolean;
}

/** Returns the limit in whole units. */
export function limitText(status: RateStatus): string {
  return sfInteger(Math.max(0, status.limit));
}

/** Returns the window in whole seconds, rounded up, at least 1. */
export function windowText(status: RateStatus): string {
  return sfInteger(Math.max(1, Math.ceil(status.window / 1000)));
}

/** Returns what remains in whole units, rounded down, within the limit. */
export function remainingText(status: RateStatus): string {
  return sfInteger(Math.max(0, Math.min(status.remaining, status.limit)));
}

/** Returns the rest of the limit, such that it and what remains add up. */
export function usedText(status: RateStatus): string {
  const limit = Math.floor(Math.max(0, status.limit));
  return sfInteger(limit - Math.floor(Math.max(0, Math.min(status.remaining, limit))));
}
