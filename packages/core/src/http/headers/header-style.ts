import { dialectFields } from "./dialect-fields.ts";
import type { HeaderField } from "./header-field.ts";
import { limitText, type RateStatus, remainingText, windowText } from "./rate-status.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import { sfInteger, sfString } from "./structured-field.ts";

/** A way to report limits to clients. */
export type HeaderStyle = "legacy" | "draft-6" | "draft-7" | "draft-8";

const quotaPolicy: HeaderField = {
  name: "RateLimit-Policy",
  meaning: "the numbers of all policies",
  of: "constant",
  write: (status) => `${limitText(status)};w=${windowText(status)}`,
  pick: oneOfEachLimit,
};

/**
 * The headers of every style, given how the legacy reset is written. Two styles may share a response if no name would
 * have two meanings.
 *
 * The legacy headers report the state: what remains, and when all of it is back. The drafts report what a client may do
 * within a time: on an allowed request what remains until all of it is back, which promises no more than the refill
 * gives; on a refused one nothing until Retry-After.
 */
export const headerStyles: Readonly<
  Record<HeaderStyle, (reset: "epoch" | "delta") => readonly HeaderField[]>
> = {
  legacy: (reset) =>
    dialectFields({
      prefix: "X-RateLimit-",
      limit: "Limit",
      remaining: "Remaining",
      reset: { name: "Reset", as: reset },
    }),
  "draft-6": () => [
    { name: "RateLimit-Limit", meaning: "draft-6", of: "binding", write: limitText },
    { name: "RateLimit-Remaining", meaning: "draft-6", of: "binding", write: available },
    { name: "RateLimit-Reset", meaning: "draft-6", of: "binding", write: seconds },
    quotaPolicy,
  ],
  "draft-7": () => [
    {
      name: "RateLimit",
      meaning: "draft-7",
      of: "binding",
      write: (status) =>
        `limit=${limitText(status)}, remaining=${available(status)}, reset=${seconds(status)}`,
    },
    quotaPolicy,
  ],
  "draft-8": () => [
    {
      name: "RateLimit-Policy",
      meaning: "draft-8",
      of: "constant",
      write: (status) =>
        `${sfString(status.policy)};q=${limitText(status)};w=${windowText(status)}`,
    },
    {
      name: "RateLimit",
      meaning: "draft-8",
      of: "each",
      write(status) {
        // No wait helps: the parameter is optional, and any number would be a promise.
        const never = !status.allowed && retryAfterSeconds(status.retryAfter) === undefined;
        const time = never ? "" : `;t=${seconds(status)}`;
        return `${sfString(status.policy)};r=${available(status)}${time}`;
      },
    },
  ],
};

function available(status: RateStatus): string {
  return status.allowed ? remainingText(status) : "0";
}

function seconds(status: RateStatus): string {
  const wait = status.allowed ? undefined : retryAfterSeconds(status.retryAfter);
  return sfInteger(wait ?? Math.max(1, Math.ceil(status.resetAfter / 1000)));
}

// Drafts 6 and 7 forbid repeating a limit; of policies with the same one, the longest window is the tightest.
function oneOfEachLimit(statuses: readonly RateStatus[]): readonly RateStatus[] {
  return statuses.filter((status, at) =>
    statuses.every((other, otherAt) => {
      if (other === status || limitText(other) !== limitText(status)) return true;
      return other.window < status.window || (other.window === status.window && otherAt > at);
    }),
  );
}
