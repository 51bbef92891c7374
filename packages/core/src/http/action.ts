import { z } from "zod";
import { type Awaitable, settled } from "../awaitable.ts";
import type { Decision } from "../decision.ts";
import { type Duration, durationHint, parseDuration } from "../duration.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { longestTimer } from "../longest-timer.ts";
import { isFunction } from "../options/expecting.ts";
import { orMeant } from "../options/or-meant.ts";
import {
  aSendableField,
  aSendableStatus,
  isSendableField,
  isSendableStatus,
} from "./response/sendable.ts";

/** A challenge's response instead of a refusal; what it leaves out is taken from the refusal. */
export interface ChallengeAnswer {
  /** 200 to 599, and a status that may have a body. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown;
}

/** Creates the response to a request that a policy would refuse. */
export type Challenge<Req> = (decision: Decision, req: Req) => Awaitable<ChallengeAnswer>;

/** What happens to a request that a policy refuses. */
export type Action<Req> = "block" | "log" | "delay" | Challenge<Req>;

/** A compiled action. */
export interface RefusalAction {
  /** Whole milliseconds for which a request may be held in total; undefined if it is not held. */
  readonly maxDelay: number | undefined;
  readonly challenge: Challenge<unknown> | undefined;
}

const names: readonly string[] = ["block", "log", "delay"];

/** The fields of a policy that say what happens to refused requests. */
export const actionShape: Readonly<Record<string, z.ZodType>> = {
  action: z
    .custom((v) => names.includes(v as string) || isFunction(v), {
      error: orMeant('"block", "log", "delay" or a function', names),
    })
    .optional(),
  maxDelay: z
    .custom((v) => (parseDuration(v) ?? Infinity) <= longestTimer, {
      error: ({ input }) =>
        `whole milliseconds from 1 to ${longestTimer}, or a string like "500ms" or "10s"${durationHint(input)}`,
    })
    .optional(),
};

/** The parts of a policy that affect its action. */
interface Acting {
  readonly action?: unknown;
  readonly maxDelay?: Duration | undefined;
  readonly shadow?: boolean | undefined;
  readonly countRefused?: boolean | undefined;
  readonly ban?: unknown;
}

/** Finds options of a policy that contradict its action. */
export function actionIssues(policy: Acting, path: string): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const only = (option: string, expected: string, received: string): void =>
    void issues.push({ path: path + option, expected, received });
  if (policy.action !== "delay") {
    if (policy.maxDelay === undefined) return issues;
    only("maxDelay", 'this option only with action "delay"', "it without");
    return issues;
  }
  // A held request is decided again and again: each time would be one more refusal to count.
  const expected = 'this option only without action "delay"';
  if (policy.countRefused === true) only("countRefused", expected, "it with");
  if (policy.ban !== undefined) only("ban", expected, "it with");
  return issues;
}

/** Puts a policy with the action "log" into shadow mode, which is the same. */
export function withLogs<Policy extends Acting>(policy: Policy): Policy {
  return policy.action === "log" ? { ...policy, shadow: true } : policy;
}

/** Compiles the options `action` and `maxDelay`; undefined for a plain refusal. */
export function actionOf(action: unknown, maxDelay: Duration = "10s"): RefusalAction | undefined {
  if (action === "delay") return { maxDelay: parseDuration(maxDelay)!, challenge: undefined };
  if (!isFunction(action)) return undefined;
  return { maxDelay: undefined, challenge: action as Challenge<unknown> };
}

/** Runs a challenge. Throws or rejects with a `ConfigError` if its result cannot be sent. */
export function challenged(
  challenge: Challenge<unknown>,
  decision: Decision,
  req: unknown,
): Awaitable<ChallengeAnswer> {
  return settled(challenge(decision, req), checked);
}

const members: readonly string[] = ["status", "headers", "body"];

function checked(answer: ChallengeAnswer | undefined): ChallengeAnswer {
  const missing = answer === undefined ? " (return it; do not write the response)" : "";
  const expected = `an answer: { status?, headers?, body? }${missing}`;
  if (typeof answer !== "object" || answer === null) wrong("action", expected, answer);
  for (const name of Object.keys(answer)) {
    if (!members.includes(name)) wrong(`action.${name}`, `one of ${members.join(", ")}`, name);
  }
  const { status, headers, body } = answer;
  if (status !== undefined && !isSendableStatus(status))
    wrong("action.status", aSendableStatus, status);
  if (isUnwritable(body)) wrong("action.body", "a value that JSON can write", body);
  if (headers === undefined) return { status, body };
  if (typeof headers !== "object" || headers === null)
    wrong("action.headers", "an object", headers);
  for (const [name, value] of Object.entries(headers)) {
    if (!isSendableField(name, value)) wrong(`action.headers.${name}`, aSendableField, value);
  }
  return { status, headers: { ...headers }, body };
}

function isUnwritable(body: unknown): boolean {
  try {
    return body !== undefined && JSON.stringify(body) === undefined;
  } catch {
    return true;
  }
}

function wrong(path: string, expected: string, value: unknown): never {
  throw new ConfigError([{ path, expected, received: received(value) }]);
}
