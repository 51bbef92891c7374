import { type Awaitable, isPromise } from "../../awaitable.ts";
import { type Decision, isOutage } from "../../decision.ts";
import type { ChallengeAnswer } from "../action.ts";
import { isAppended } from "../headers/appended-field.ts";
import { invites, misleads } from "../headers/misleading-fields.ts";
import { noStore } from "../headers/no-store.ts";
import type { HeaderPair } from "../headers/rate-headers.ts";
import { type RetryAfterRule, retryAfterText } from "../headers/retry-after.ts";
import type { RequestContext } from "../request-context.ts";
import { Refusal } from "../verdict.ts";
import type { Body } from "./body.ts";
import { appendFields, dropFields, holdFields } from "./held-fields.ts";
import { type BodyOption, bodyOf, written } from "./refusal-body.ts";
import { errorOf } from "./refusal-error.ts";

/** Options about refusals. */
export interface RefusalOptions {
  readonly status: number;
  readonly body: BodyOption;
  readonly throw: boolean;
  /** How Retry-After is written; whole seconds by default. */
  readonly retryAfter?: RetryAfterRule | undefined;
}

/** A ban's own status and body, used instead of the options'. */
export type BlockedAnswer = {
  readonly [Part in "status" | "body"]?: RefusalOptions[Part] | undefined;
};

/** How a request is refused. */
export interface RefusalTerms {
  readonly options: RefusalOptions;
  /** Set if a policy's ban refuses. */
  readonly blocked?: BlockedAnswer | undefined;
  /** A challenge's response, used instead of the usual refusal. */
  readonly answer?: ChallengeAnswer | undefined;
  /** The error of the store that could not answer. */
  readonly cause?: unknown;
  report(error: unknown): void;
}

/**
 * Creates the response to a refused request, and holds its headers beside `fields`, if there is a response. If a
 * function of the options fails to return the body, that is reported, and the body is the usual one.
 */
export function refuse(
  decision: Decision,
  fields: readonly HeaderPair[],
  context: Pick<RequestContext, "req" | "res" | "framework">,
  terms: RefusalTerms,
): Awaitable<Refusal> {
  const { options, blocked, answer } = terms;
  const status = isOutage(decision) ? 503 : (answer?.status ?? blocked?.status ?? options.status);
  const told =
    answer?.body === undefined
      ? bodyOf(decision, status, context.req, blocked?.body ?? options.body, terms)
      : written(answer.body);
  return isPromise(told)
    ? told.then((known) => answered(decision, status, fields, known, context, terms))
    : answered(decision, status, fields, told, context, terms);
}

function answered(
  decision: Decision,
  status: number,
  fields: readonly HeaderPair[],
  text: Body,
  { res, framework }: Pick<RequestContext, "res" | "framework">,
  { options, answer, cause }: RefusalTerms,
): Refusal {
  const own = refusalFields(decision, options.retryAfter);
  const told = answer ? answerFields(answer, [...fields, ...own]) : none;
  const added = res ? told.filter(([name]) => isAppended(name.toLowerCase())) : none;
  const more =
    told.length === 0 ? own : [...own, ...told.filter((field) => !added.includes(field))];
  const headers = fields.concat(more);
  const body = answer ? typedAs(contentTypeOf(answer), text) : text;
  if (res) {
    dropFields(res, invites, misleads);
    holdFields(res, more, framework);
    appendFields(res, added);
  }
  // A challenge is a response, not an error.
  const throws = options.throw && !answer;
  const error = throws ? errorOf(decision, status, body, headers, cause) : undefined;
  return new Refusal(decision, status, headers, body, error);
}

const none: readonly HeaderPair[] = [];

/** Returns a challenge's fields, except those of the refusal itself and those about how its body is sent. */
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

/** Returns the fields that every refusal has beside the rate headers. */
function refusalFields(decision: Decision, rule: RetryAfterRule | undefined): HeaderPair[] {
  const seconds = isOutage(decision) ? undefined : retryAfterText(decision.retryAfter, rule);
  return seconds === undefined ? [noStore] : [["Retry-After", seconds], noStore];
}
