import { STATUS_CODES } from "node:http";
import { retryAfterSeconds } from "../headers/retry-after.ts";

/** A body that this package writes itself: plain JSON, or a problem of RFC 9457. */
export type BodyFormat = "json" | "problem";

/** The body of a response and its content type. */
export interface Body {
  readonly contentType: string;
  readonly text: string;
  /** Its message, for the error that may be thrown instead of a response; undefined if there is none. */
  readonly message?: string | undefined;
}

/** What the body of a refusal reports. */
export interface RefusalInfo {
  readonly status: number;
  /** The policy that refuses longest, and its limit. */
  readonly policy: string;
  readonly limit: number;
  /** Milliseconds; `Infinity` if no wait can help. */
  readonly retryAfter: number;
  /** The most that can ever fit, the limit or a bucket's burst, if the request costs more; else undefined. */
  readonly most: number | undefined;
  /** Whether the client is blocked, whatever it requests. */
  readonly blocked: boolean;
  /** Returns the names of all policies that refuse. */
  violated(): Iterable<string>;
}

/** What the body reports if the store failed and nothing could be decided. */
export interface OutageInfo {
  readonly status: number;
}

/**
 * Returns the body of a refused request.
 *
 * Its seconds are those of Retry-After, and left out with it. A status without a name in HTTP is named like 429.
 */
export function refusalBody(format: BodyFormat, refusal: RefusalInfo): Body {
  const seconds = retryAfterSeconds(refusal.retryAfter);
  if (format === "problem") return refusalProblem(refusal, seconds);
  if (latest === undefined || !tellsThe(latest, refusal, seconds)) {
    const { status, policy, limit, most, blocked } = refusal;
    const error = titleOf(status, 429);
    const body = json({
      error,
      message: messageOf(refusal, seconds),
      ...wanted(seconds),
      limit,
      policy,
    });
    latest = { status, policy, limit, most, blocked, seconds, body };
  }
  return latest.body;
}

/** The last body, and what it reports: a client that keeps asking gets the same one until the second changes. */
let latest: Written | undefined;

interface Written extends Pick<RefusalInfo, "status" | "policy" | "limit" | "most" | "blocked"> {
  readonly seconds: number | undefined;
  readonly body: Body;
}

function tellsThe(written: Written, refusal: RefusalInfo, seconds: number | undefined): boolean {
  return (
    written.seconds === seconds &&
    written.policy === refusal.policy &&
    written.limit === refusal.limit &&
    written.status === refusal.status &&
    written.most === refusal.most &&
    written.blocked === refusal.blocked
  );
}

function refusalProblem(refusal: RefusalInfo, seconds: number | undefined): Body {
  const { status, policy, limit, violated, blocked } = refusal;
  return problem({
    type: `https://iana.org/assignments/http-problem-types#${blocked ? "abnormal-usage-detected" : "quota-exceeded"}`,
    title: titleOf(status, 429),
    status,
    detail: messageOf(refusal, seconds),
    ...wanted(seconds),
    limit,
    policy,
    "violated-policies": [...violated()],
  });
}

function messageOf(refusal: RefusalInfo, seconds: number | undefined): string {
  return `${refusal.blocked ? "Blocked." : "Rate limit exceeded."} ${advice(seconds, refusal)}`;
}

function wanted(seconds: number | undefined): { readonly retryAfter?: number } {
  return seconds === undefined ? {} : { retryAfter: seconds };
}

/** Returns the body of a request refused because the store failed; it reports no limit. */
export function outageBody(format: BodyFormat, { status }: OutageInfo): Body {
  const message = "The rate limiter is unavailable. Try again later.";
  if (format === "json") return json({ error: titleOf(status, 503), message });
  return problem({
    type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
    title: titleOf(status, 503),
    status,
    detail: message,
  });
}

/** Returns the body of a request that a list denies; it reports neither a limit nor a reason. */
export function denialBody(format: BodyFormat, { status }: { readonly status: number }): Body {
  const message = "Access denied.";
  if (format === "json") return json({ error: titleOf(status, 403), message });
  return problem({ type: "about:blank", title: titleOf(status, 403), status, detail: message });
}

function advice(seconds: number | undefined, { most, limit }: RefusalInfo): string {
  if (seconds !== undefined) return wait(seconds);
  if (most === undefined) return "Waiting does not help.";
  const bound = most === limit ? "limit" : "burst";
  return `Waiting does not help: the request costs more than the ${bound} of ${most}.`;
}

function wait(seconds: number): string {
  return `Retry in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
}

function titleOf(status: number, otherwise: number): string {
  return STATUS_CODES[status] ?? STATUS_CODES[otherwise]!;
}

/** Returns a JSON body: `text` is the `value`. Frozen: many responses may share it. */
export function jsonBody(text: string, value: unknown): Body {
  const contentType = "application/json; charset=utf-8";
  return Object.freeze({ contentType, text, message: messageIn(value) });
}

function json(value: object): Body {
  return jsonBody(JSON.stringify(value), value);
}

// No charset: RFC 9457 gives its media types no parameters.
function problem(value: object): Body {
  const text = JSON.stringify(value);
  return { contentType: "application/problem+json", text, message: messageIn(value) };
}

function messageIn(value: unknown): string | undefined {
  const { message, detail } = (value ?? {}) as { readonly [name: string]: unknown };
  const said = message ?? detail;
  return typeof said === "string" ? said : undefined;
}
