import { retryAfterSeconds } from "./retry-after.ts";
import { sfInteger, sfString } from "./structured-field.ts";

/** A way to tell a client about its limits. */
export type HeaderStyle = "legacy" | "draft-6" | "draft-7" | "draft-8";

/** What one policy said about a request. Times are milliseconds. */
export interface RateStatus {
  readonly policy: string;
  readonly limit: number;
  readonly window: number;
  readonly remaining: number;
  /** How long the same request would have to wait; `Infinity` where no wait can help. */
  readonly retryAfter: number;
  /** How long until the key is as good as never used. */
  readonly resetAfter: number;
  readonly allowed: boolean;
}

/** The moment of an answer, and how the legacy reset is written. */
export interface HeaderMoment {
  /** Milliseconds since the epoch, by the store's clock. */
  readonly now: number;
  readonly reset: "epoch" | "delta";
}

/** One header: of the binding policy, of every policy, or what every policy always says. */
export type HeaderField = { readonly name: string } & (
  | { readonly of: "binding"; write(status: RateStatus, moment: HeaderMoment): string }
  | { readonly of: "each"; write(status: RateStatus): string }
  | {
      readonly of: "constant";
      write(status: RateStatus): string;
      /** Which statuses to write, where not all of them may stand side by side. */
      pick?(statuses: readonly RateStatus[]): readonly RateStatus[];
    }
);

const quotaPolicy: HeaderField = {
  name: "RateLimit-Policy",
  of: "constant",
  write: (status) => `${limit(status)};w=${window(status)}`,
  pick: oneOfEachLimit,
};

/**
 * The headers of every style. Two styles may stand in one answer where no name has two meanings.
 *
 * The legacy headers tell the state: what remains, and when all of it is back. The drafts tell what
 * a client may do within a time: on an allowed request what remains until all of it is back, which
 * promises no more than the refill gives; on a refused one nothing until Retry-After.
 */
export const headerStyles: Readonly<Record<HeaderStyle, readonly HeaderField[]>> = {
  legacy: [
    { name: "X-RateLimit-Limit", of: "binding", write: limit },
    { name: "X-RateLimit-Remaining", of: "binding", write: remaining },
    { name: "X-RateLimit-Reset", of: "binding", write: legacyReset },
  ],
  "draft-6": [
    { name: "RateLimit-Limit", of: "binding", write: limit },
    { name: "RateLimit-Remaining", of: "binding", write: available },
    { name: "RateLimit-Reset", of: "binding", write: seconds },
    quotaPolicy,
  ],
  "draft-7": [
    {
      name: "RateLimit",
      of: "binding",
      write: (status) =>
        `limit=${limit(status)}, remaining=${available(status)}, reset=${seconds(status)}`,
    },
    quotaPolicy,
  ],
  "draft-8": [
    {
      name: "RateLimit-Policy",
      of: "constant",
      write: (status) => `${sfString(status.policy)};q=${limit(status)};w=${window(status)}`,
    },
    {
      name: "RateLimit",
      of: "each",
      write(status) {
        // No wait helps: the parameter is optional, and every number would be a promise.
        const never = !status.allowed && retryAfterSeconds(status.retryAfter) === undefined;
        const time = never ? "" : `;t=${seconds(status)}`;
        return `${sfString(status.policy)};r=${available(status)}${time}`;
      },
    },
  ],
};

function limit(status: RateStatus): string {
  return sfInteger(Math.max(0, status.limit));
}

function window(status: RateStatus): string {
  return sfInteger(Math.max(1, Math.ceil(status.window / 1000)));
}

function remaining(status: RateStatus): string {
  return sfInteger(Math.max(0, Math.min(status.remaining, status.limit)));
}

function available(status: RateStatus): string {
  return status.allowed ? remaining(status) : "0";
}

function seconds(status: RateStatus): string {
  const wait = status.allowed ? undefined : retryAfterSeconds(status.retryAfter);
  return sfInteger(wait ?? Math.max(1, Math.ceil(status.resetAfter / 1000)));
}

function legacyReset(status: RateStatus, { now, reset }: HeaderMoment): string {
  const from = reset === "epoch" ? now : 0;
  return sfInteger(Math.max(0, Math.ceil((from + status.resetAfter) / 1000)));
}

// Drafts 6 and 7 forbid the same number twice; the longest of such windows is the tightest policy.
function oneOfEachLimit(statuses: readonly RateStatus[]): readonly RateStatus[] {
  return statuses.filter((status, at) =>
    statuses.every((other, otherAt) => {
      if (other === status || limit(other) !== limit(status)) return true;
      return other.window < status.window || (other.window === status.window && otherAt > at);
    }),
  );
}
