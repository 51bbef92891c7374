import type { ServerResponse } from "node:http";
import type { Awaitable } from "../awaitable.ts";
import { failureOf } from "./failure.ts";
import type { Guard } from "./guard.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Admits a request for callback-style frameworks. Calls `then` exactly once, with the verdict or with an error for the
 * framework, synchronously if the guard is. What `then` throws propagates to the caller if synchronous; later it has no
 * caller, and goes to `onError`. `res` defaults to the framework's own response.
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
