import { z } from "zod";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import type { ConfigIssue } from "../errors.ts";
import { isFunction, listHint } from "../options/expecting.ts";
import { meantHint } from "../options/or-meant.ts";
import { truthOf } from "../truth.ts";
import { isWhole } from "../whole.ts";

/** Classes of statuses, by first digit. */
export const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** All statuses with the same first digit. */
export type StatusClass = (typeof statusClasses)[number];

/**
 * Selects outcomes of a request: `"failed"` is status 400 and above, or a client that left before the head of the
 * response (499), `"successful"` all others; a list has statuses and classes of them.
 */
export type Outcomes<Req> =
  | "failed"
  | "successful"
  | readonly (number | StatusClass)[]
  | ((status: number, req: Req) => Awaitable<boolean | null | undefined>);

/** Whether an outcome is selected. `status` is 499 if the client left before the head of the response. */
export type OutcomeTest = (status: number, req: unknown) => Awaitable<boolean>;

/** What the outcome of a request means for its charges. */
export interface OutcomeTests {
  /** Whether they are refunded; undefined: never. */
  readonly refunds: OutcomeTest | undefined;
  /** Whether the key is reset; undefined: never. */
  readonly resets: OutcomeTest | undefined;
}

/** Options of a policy about outcomes. */
export interface OutcomeOptions<Req> {
  /** Charges only requests with these outcomes: others are refunded once the response has ended. */
  readonly count?: Outcomes<Req> | undefined;
  /** Refunds requests with these outcomes, once the response has ended. */
  readonly refund?: Outcomes<Req> | undefined;
  /** Resets the key in this policy after a request with such an outcome. */
  readonly resetOn?: Outcomes<Req> | undefined;
}

const outcomesSchema = z.unknown().superRefine((value, { addIssue }) => {
  if (Array.isArray(value) && value.length > 0) {
    value.forEach((entry, i) => {
      if (isOutcome(entry)) return;
      const message = 'a status from 100 to 599, or "1xx", "2xx", "3xx", "4xx" or "5xx"';
      addIssue({ code: "custom", message, path: [i] });
    });
    return;
  }
  if (value === "failed" || value === "successful" || isFunction(value)) return;
  const message =
    '"failed", "successful", a list of statuses and classes such as 401 or "5xx", or a function';
  addIssue({
    code: "custom",
    message: message + (meantHint(value, ["failed", "successful"]) || listHint(value, isOutcome)),
  });
});

/** The fields of a policy about outcomes. */
export const outcomeShape: Readonly<Record<keyof OutcomeOptions<never>, z.ZodType>> = {
  count: outcomesSchema.optional(),
  refund: outcomesSchema.optional(),
  resetOn: outcomesSchema.optional(),
};

/** Finds options about outcomes that contradict each other. */
export function outcomeIssues(
  { count, refund }: OutcomeOptions<never>,
  path: string,
): ConfigIssue[] {
  if (count === undefined || refund === undefined) return [];
  const expected = "one of count and refund: each says by its outcomes what is charged";
  return [{ path: `${path}refund`, expected, received: "both" }];
}

/** Compiles a policy's options about outcomes, which are at `path`. */
export function outcomeTestsOf(options: OutcomeOptions<never>, path: string): OutcomeTests {
  const counts = testOf(options.count, `${path}count`);
  return {
    refunds: counts ? not(counts) : testOf(options.refund, `${path}refund`),
    resets: testOf(options.resetOn, `${path}resetOn`),
  };
}

/**
 * Returns for each of these rules whether its test selects an outcome; each rule's test is called once. A function that
 * fails or returns anything but a boolean, null or undefined is reported, and selects nothing.
 */
export function meant<Rule extends object>(
  rules: readonly Rule[],
  test: (rule: Rule) => OutcomeTest | undefined,
  status: number,
  req: unknown,
  report: (error: unknown) => void,
): Awaitable<boolean[]> {
  const asked = new Map<Rule, Awaitable<boolean>>();
  for (const rule of rules) {
    if (!asked.has(rule)) asked.set(rule, answerOf(test(rule), status, req, report));
  }
  const answers = rules.map((rule) => asked.get(rule)!);
  return answers.some(isPromise) ? Promise.all(answers) : (answers as boolean[]);
}

function testOf(outcomes: unknown, path: string): OutcomeTest | undefined {
  if (outcomes === undefined) return undefined;
  if (outcomes === "failed") return (status) => status >= 400;
  if (outcomes === "successful") return (status) => status < 400;
  if (Array.isArray(outcomes)) {
    const listed: ReadonlySet<unknown> = new Set(outcomes);
    return (status) => listed.has(status) || listed.has(`${Math.floor(status / 100)}xx`);
  }
  const ask = outcomes as OutcomeTest;
  return (status, req) => settled(ask(status, req), (answer) => truthOf(answer, path));
}

function not(test: OutcomeTest): OutcomeTest {
  return (status, req) => settled(test(status, req), (yes) => !yes);
}

function answerOf(
  test: OutcomeTest | undefined,
  status: number,
  req: unknown,
  report: (error: unknown) => void,
): Awaitable<boolean> {
  if (!test) return false;
  const failed = (error: unknown): false => {
    report(error);
    return false;
  };
  try {
    const answer = test(status, req);
    return isPromise(answer) ? answer.then(undefined, failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** Whether a value is a status or a class of them. */
function isOutcome(value: unknown): boolean {
  const isStatus = isWhole(value) && value >= 100 && value <= 599;
  return isStatus || statusClasses.includes(value as StatusClass);
}
