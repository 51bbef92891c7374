import { type Awaitable, isPromise } from "../awaitable.ts";
import type { Decision } from "../decision.ts";
import { RateLimitError, StoreError } from "../errors.ts";
import { banOfDecision } from "../explain.ts";
import type { ChallengeAnswer } from "./action.ts";
import { type Body, denialBody, outageBody, refusalBody } from "./body.ts";
import type { Call } from "./call.ts";
import { dropFields, holdFields } from "./held-fields.ts";
import type { HeaderPair } from "./rate-headers.ts";
import { type RetryAfterRule, retryAfterText } from "./retry-after.ts";
import { type Refusal, Refusing } from "./verdict.ts";

export interface RefusalOptions {
  readonly status: number;
  readonly body: "json" | "problem" | ((decision: Decision, req: never) => unknown);
  readonly throw: boolean;
  /** How Retry-After is written; default whole seconds. */
  readonly retryAfter?: RetryAfterRule | undefined;
}

/** A refusal is true for one client at one time: it must be neither kept nor compared. */
const validators: ReadonlySet<string> = new Set([
  "etag",
  "last-modified",
  "expires",
  "x-accel-expires",
]);
/** What caches of a vendor heed before Cache-Control (RFC 9213 and its forerunners). */
const targeted = /.-cache-control$|^(?:surrogate|edge)-control$/;
/** Told of a wait or a body that are not this answer's, or would have a server in front send another. */
const stale: ReadonlySet<string> = new Set([
  "retry-after",
  "content-encoding",
  "content-md5",
  "content-digest",
  "repr-digest",
  "digest",
  "content-location",
  "accept-ranges",
  "content-language",
  "content-range",
  "content-disposition",
  "content-length",
  "transfer-encoding",
  "trailer",
  "x-accel-redirect",
  "x-sendfile",
]);

/** Whether a field, by its lower-case name, was set for another answer and would mislead on a refusal. */
export function misleads(name: string): boolean {
  return stale.has(name) || invites(name);
}

/** Whether a field, by its lower-case name, invites somebody to keep a refusal or to compare it. */
function invites(name: string): boolean {
  // The end is looked at first: the pattern costs more, and every name is asked for, twice a refusal.
  return validators.has(name) || (name.endsWith("-control") && targeted.test(name));
}

/** How a request is refused. */
export interface RefusalTerms {
  readonly options: RefusalOptions;
  /** What a challenge answers in place of the usual refusal. */
  readonly answer?: ChallengeAnswer | undefined;
  /** The error of a store that could not answer. */
  readonly cause?: unknown;
  report(error: unknown): void;
}

/**
 * Makes the answer to a refused request, and holds its headers beside `fields`, where there is a response. Where a
 * function of the options fails to write the body, that is reported, and the body is the usual one.
 */
export function refuse(
  decision: Decision,
  fields: readonly HeaderPair[],
  call: Pick<Call, "req" | "res" | "framework">,
  terms: RefusalTerms,
): Awaitable<Refusal> {
  const { options, answer } = terms;
  const ban = decision.reason === "blocked" ? banOfDecision(decision) : undefined;
  const status = isOutage(decision) ? 503 : (answer?.status ?? ban?.status ?? options.status);
  const told =
    answer?.body === undefined
      ? bodyOf(decision, status, call.req, ban?.body ?? options.body, terms)
      : write(answer.body);
  return isPromise(told)
    ? told.then((written) => answered(decision, status, fields, written, call, terms))
    : answered(decision, status, fields, told, call, terms);
}

function answered(
  decision: Decision,
  status: number,
  fields: readonly HeaderPair[],
  written: Body,
  { res, framework }: Pick<Call, "res" | "framework">,
  { options, answer, cause }: RefusalTerms,
): Refusal {
  const own = refusalFields(decision, options.retryAfter);
  const more = answer ? [...own, ...answerFields(answer, [...fields, ...own])] : own;
  const headers = fields.concat(more);
  const body = answer ? typedAs(contentTypeOf(answer), written) : written;
  if (res) {
    dropFields(res, invites, misleads);
    holdFields(res, more, framework);
  }
  // A challenge is an answer, and no error.
  const throws = options.throw && !answer;
  const error = throws ? errorOf(decision, status, body, headers, cause) : undefined;
  return new Refusing(decision, status, headers, body, error);
}

function isOutage({ reason }: Decision): boolean {
  return reason === "store-unavailable";
}

/** Fields of an answer that are neither of the refusal itself nor about how its body is sent. */
function answerFields({ headers = {} }: ChallengeAnswer, own: readonly HeaderPair[]): HeaderPair[] {
  const taken = new Set(own.map(([name]) => name.toLowerCase()));
  return Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return lower !== "content-type" && !taken.has(lower) && !misleads(lower);
  });
}

function contentTypeOf({ headers = {} }: ChallengeAnswer): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
}

function typedAs(contentType: string | undefined, body: Body): Body {
  return contentType === undefined ? body : { ...body, contentType };
}

/** The fields that every refusal has beside the rate headers. */
function refusalFields(decision: Decision, rule: RetryAfterRule | undefined): HeaderPair[] {
  const seconds = isOutage(decision) ? undefined : retryAfterText(decision.retryAfter, rule);
  return seconds === undefined ? [uncached] : [["Retry-After", seconds], uncached];
}

const uncached: HeaderPair = Object.freeze(["Cache-Control", "no-store"] as const);

/** Writes a body as it is wanted, and where that fails, as the options say. */
function bodyOf(
  decision: Decision,
  status: number,
  req: unknown,
  body: RefusalOptions["body"],
  terms: Pick<RefusalTerms, "options" | "report">,
): Awaitable<Body> {
  if (typeof body === "function") {
    const usual = (error: unknown): Awaitable<Body> => {
      terms.report(error);
      const next = body === terms.options.body ? "json" : terms.options.body;
      return bodyOf(decision, status, req, next, terms);
    };
    try {
      const told: unknown = body(decision, req as never);
      return isPromise(told) ? Promise.resolve(told).then(write).catch(usual) : write(told);
    } catch (error) {
      return usual(error);
    }
  }
  if (isOutage(decision)) return outageBody(body, { status });
  const { policy, limit, retryAfter, statuses, reason } = decision;
  if (reason === "blocked" && statuses.length === 0) return denialBody(body, { status });
  return refusalBody(body, {
    status,
    policy,
    limit,
    retryAfter,
    tooCostly: reason === "cost-exceeds-limit",
    blocked: reason === "blocked",
    violated: () => new Set(statuses.filter((s) => !s.allowed && !s.shadow).map((s) => s.policy)),
  });
}

function write(value: unknown): Body {
  if (typeof value === "string") return { contentType: "text/plain; charset=utf-8", text: value };
  return { contentType: "application/json; charset=utf-8", text: JSON.stringify(value) ?? "" };
}

/** An outage is no refusal: its error has the code of a store that failed. */
function errorOf(
  decision: Decision,
  status: number,
  body: Body,
  fields: readonly HeaderPair[],
  cause: unknown,
): RateLimitError | StoreError {
  const headers = Object.fromEntries(fields);
  const outage = isOutage(decision);
  const message = messageOf(body, outage);
  if (!outage) return new RateLimitError(decision, message, status, headers);
  const told = { status, statusCode: status, expose: true, headers, decision };
  // What was met, and not the error that tells of it.
  const met = cause instanceof StoreError ? (cause.cause ?? cause) : cause;
  return Object.assign(new StoreError(message, met), told);
}

function messageOf({ text }: Body, outage: boolean): string {
  try {
    const { message, detail } = JSON.parse(text) as { message?: unknown; detail?: unknown };
    const said = message ?? detail;
    if (typeof said === "string") return said;
  } catch {
    // A text body is no JSON.
  }
  return outage ? "The rate limiter is unavailable." : "Rate limit exceeded.";
}
