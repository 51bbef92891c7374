import type { z } from "zod";
import { expecting, isFunction } from "../options/expecting.ts";

/**
 * Provides the policies of a limiter, and word of each new version of them: a file that is watched, a table that is
 * polled. It checks what it provides and tells of its own errors; whoever made it closes it.
 *
 * What it provides are options as a limiter takes them, functions and extractors in place: `limit` and the other options
 * of one policy, or `policies`, or `rules` with `matching`; beside them `headers`, `status`, `body`, `shadow`,
 * `nearLimit`, `allow`, `deny` and `denyStatus`. Nothing of it is ever changed in place.
 */
export interface PolicySource {
  /** What holds now. */
  readonly current: object;
  /** Calls back with each new version, as a whole; what the listener throws is the listener's. Answers how to stop. */
  subscribe(listener: (next: object) => void): () => void;
  /** Ends the watching or polling; may be called twice. */
  close(): void;
}

/** The schema of an option that is a source of policies. */
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
