import type { IncomingMessage, ServerResponse } from "node:http";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";
import { whenOver } from "./departure.ts";
import { watchStatus } from "./head.ts";

/** Whether an outcome gives a charge back. `status` is 499 where the client left before the head of the answer. */
export type Refunds = (status: number, req: unknown) => Awaitable<boolean>;

/** The status that stands for a client that left before the head of the answer was written. */
export const clientLeft = 499;

/** Compiles the option `refund`. */
export function refundsOf(option: unknown): Refunds | undefined {
  if (option === "failed") return (status) => status >= 400;
  if (option === "successful") return (status) => status < 400;
  return option as Refunds | undefined;
}

/** Calls back once with the status on the wire, when the answer is over or the client has left. */
export function settle(res: ServerResponse, then: (status: number) => void): void {
  const before = written(res.req);
  const status = watchStatus(res);
  whenOver(res, () => {
    if (res.headersSent) then(status());
    else then(written(res.req) > before ? switchingProtocols : clientLeft);
  });
}

const switchingProtocols = 101;

/** How much went to the socket of an upgrade: a WebSocket server writes there, past the response. */
function written(req: IncomingMessage & { readonly upgrade?: boolean | null }): number {
  return req.upgrade ? (req.socket.bytesWritten ?? 0) : 0;
}

/**
 * Tells for each charge, by the rule that owns it, whether it is given back. A function that fails or answers
 * anything but true or false is reported, and gives nothing back.
 */
export function refunded(
  owners: readonly { readonly refunds: Refunds | undefined }[],
  status: number,
  req: unknown,
  report: (error: unknown) => void,
): Awaitable<boolean[]> {
  const asked = new Map<object, Awaitable<boolean>>();
  for (const rule of owners) {
    if (!asked.has(rule)) asked.set(rule, answerOf(rule.refunds, status, req, report));
  }
  const answers = owners.map((rule) => asked.get(rule)!);
  return answers.some(isPromise) ? Promise.all(answers) : (answers as boolean[]);
}

function answerOf(
  refunds: Refunds | undefined,
  status: number,
  req: unknown,
  report: (error: unknown) => void,
): Awaitable<boolean> {
  const failed = (error: unknown): false => {
    report(error);
    return false;
  };
  try {
    const answer = settled(refunds ? refunds(status, req) : false, checked);
    return isPromise(answer) ? answer.then(undefined, failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

function checked(answer: unknown): boolean {
  if (answer === undefined || answer === null || typeof answer === "boolean")
    return answer === true;
  throw new ConfigError([
    { path: "refund", expected: "true or false", received: received(answer) },
  ]);
}
