import { sfInteger } from "./structured-field.ts";

/** What one policy said about a request. Times are milliseconds. */
export interface RateStatus {
  readonly policy: string;
  /** Whose allowance it is, as stores know it. */
  readonly key?: string | undefined;
  readonly limit: number;
  readonly window: number;
  readonly remaining: number;
  /** How long the same request would have to wait; `Infinity` where no wait can help. */
  readonly retryAfter: number;
  /** How long until the key is as good as never used. */
  readonly resetAfter: number;
  readonly allowed: boolean;
}

/** Writes the limit in whole units. */
export function limitText(status: RateStatus): string {
  return sfInteger(Math.max(0, status.limit));
}

/** Writes the window in whole seconds, rounded up, at least 1. */
export function windowText(status: RateStatus): string {
  return sfInteger(Math.max(1, Math.ceil(status.window / 1000)));
}

/** Writes what remains in whole units, rounded down, within the limit. */
export function remainingText(status: RateStatus): string {
  return sfInteger(Math.max(0, Math.min(status.remaining, status.limit)));
}

/** Writes the rest of the limit, so that it and what remains add up. */
export function usedText(status: RateStatus): string {
  const limit = Math.floor(Math.max(0, status.limit));
  return sfInteger(limit - Math.floor(Math.max(0, Math.min(status.remaining, limit))));
}
