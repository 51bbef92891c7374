import type { z } from "zod";
import { expecting, isFunction } from "../options/expecting.ts";

/**
 * Provides the policies of a limiter and announces each new version: a watched file, a polled table. It validates what
 * it provides and reports its own errors; its creator closes it.
 *
 * It provides a limiter's options, functions and extractors included: `limit` and the other options of one policy, or
 * `policies`, or `rules` with `matching`; optionally `headers`, `status`, `body`, `shadow`, `nearLimit`, `allow`,
 * `deny` and `denyStatus`. These objects are never mutated.
 */
export interface PolicySource {
  /** The current version. */
  readonly current: object;
  /**
   * Calls the listener with each complete new version; the listener handles its own errors. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (next: object) => void): () => void;
  /** Stops watching or polling; may be called twice. */
  close(): void;
}

/** The schema of a source of policies. */
export const sourceSchema: z.ZodType = expecting(
  "a source of policies (an object with current, subscribe and close, such as watchPolicies resolves with: await it)",
  isSource,
);

function isSource(value: unknown): boolean {
  const source = value as Partial<PolicySource> | null | undefined;
  return isFunction(source?.subscribe) && isFunction(source?.close) && isOptions(source?.current);
}

function isOptions(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
