import { type Awaitable, isPromise } from "../../awaitable.ts";
import { type Decision, isDenial, isOutage } from "../../decision.ts";
import { boundPolicyOf } from "../../decisions/explain.ts";
import { ConfigError, received } from "../../errors.ts";
import {
  type Body,
  type BodyFormat,
  denialBody,
  jsonBody,
  outageBody,
  refusalBody,
} from "./body.ts";

/** How the body of a refusal is written: as JSON, as a problem of RFC 9457, or by a function of the options. */
export type BodyOption = BodyFormat | ((decision: Decision, req: never) => unknown);

interface BodyTerms {
  readonly options: { readonly body: BodyOption };
  report(error: unknown): void;
}

/** Returns a body in the given way; if that fails, in the way of the options. */
export function bodyOf(
  decision: Decision,
  status: number,
  req: unknown,
  body: BodyOption,
  terms: BodyTerms,
): Awaitable<Body> {
  if (typeof body === "function") {
    const usual = (error: unknown): Awaitable<Body> => {
      terms.report(error);
      const next = body === terms.options.body ? "json" : terms.options.body;
      return bodyOf(decision, status, req, next, terms);
    };
    try {
      const told: unknown = body(decision, req as never);
      return isPromise(told) ? Promise.resolve(told).then(written).catch(usual) : written(told);
    } catch (error) {
      return usual(error);
    }
  }
  if (isOutage(decision)) return outageBody(body, { status });
  if (isDenial(decision)) return denialBody(body, { status });
  const { policy, limit, retryAfter, statuses, reason } = decision;
  return refusalBody(body, {
    status,
    policy,
    limit,
    retryAfter,
    most: reason === "cost-exceeds-limit" ? (boundPolicyOf(decision)?.maxCost ?? limit) : undefined,
    blocked: reason === "blocked",
    violated: () => new Set(statuses.filter((s) => !s.allowed && !s.shadow).map((s) => s.policy)),
  });
}

/** Returns a function's result as text or as JSON. Throws a `ConfigError` for what JSON cannot hold. */
export function written(value: unknown): Body {
  if (typeof value === "string") {
    const message = value === "" ? undefined : value;
    return { contentType: "text/plain; charset=utf-8", text: value, message };
  }
  const text = JSON.stringify(value) as string | undefined;
  if (text !== undefined) return jsonBody(text, value);
  const expected =
    "text, or what JSON can hold (an object needs parentheses around it: () => ({ … }))";
  throw new ConfigError([{ path: "body", expected, received: received(value) }]);
}
