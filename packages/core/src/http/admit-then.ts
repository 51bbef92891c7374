import type { ServerResponse } from "node:http";
import type { Awaitable } from "../awaitable.ts";
import { failureOf } from "./failure.ts";
import type { Guard } from "./guard.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Admits a request for a framework of callbacks: calls back once, with the verdict or with the error that is the
 * framework's to handle, and in place where the guard answers in place. What the callback throws in place is the
 * caller's; later it is nobody's who could be called, and is told to `onError`. The response is the framework's own,
 * unless one is given.
 */
export function admitThen<Req>(
  guard: Guard<Req>,
  req: Req,
  then: (outcome: Verdict | Error) => void,
  res?: ServerResponse,
): void {
  let verdict: Awaitable<Verdict>;
  try {
    verdict = guard.admit(req, res);
  } catch (thrown) {
    then(failureOf(thrown));
    return;
  }
  if ("kind" in verdict) {
    then(verdict);
    return;
  }
  verdict
    .then(then, (thrown: unknown) => then(failureOf(thrown)))
    .catch((thrown: unknown) => guard.report(thrown, req));
}
