import type { IncomingMessage } from "node:http";
import { describe, expectTypeOf, it } from "vitest";
import type { HttpOptions, Refusal, Verdict } from "../../src/http/index.ts";
import type {
  ConfigError,
  Decision,
  PolicyStatus,
  RateLimitError,
  Reason,
  StoreError,
} from "../../src/index.ts";

declare const decision: Decision;
declare const verdict: Verdict;

describe("B143: payloads", () => {
  it("narrow by whether a decision lets pass", () => {
    if (decision.allowed) {
      expectTypeOf(decision.reason).toEqualTypeOf<"ok" | "skipped" | "store-unavailable">();
    } else {
      expectTypeOf(decision.reason).toEqualTypeOf<
        "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable"
      >();
    }
  });

  it("let a switch over reasons be exhaustive", () => {
    const told = (reason: Reason): string => {
      switch (reason) {
        case "ok":
        case "skipped":
          return "passes";
        case "limited":
        case "cost-exceeds-limit":
        case "blocked":
          return "refused";
        case "store-unavailable":
          return "unknown";
        default:
          expectTypeOf(reason).toBeNever();
          return reason;
      }
    };
    expectTypeOf(told).returns.toBeString();
  });

  it("hold no any", () => {
    type Anys<T> = { [K in keyof T]-?: 0 extends 1 & T[K] ? K : never }[keyof T];
    expectTypeOf<Anys<Decision>>().toBeNever();
    expectTypeOf<Anys<PolicyStatus>>().toBeNever();
    expectTypeOf<Anys<RateLimitError>>().toBeNever();
    expectTypeOf<Anys<StoreError>>().toBeNever();
    expectTypeOf<Anys<Refusal>>().toBeNever();
  });

  it("cannot be changed", () => {
    // @ts-expect-error a decision is a snapshot
    decision.remaining = 1;
    // @ts-expect-error and so are its statuses
    decision.statuses.push(decision.statuses[0]!);
  });

  it("tell errors apart by their code", () => {
    const told = (error: RateLimitError | StoreError | ConfigError): unknown => {
      if (error.code === "ERR_RATE_LIMITED") {
        expectTypeOf(error).toEqualTypeOf<RateLimitError>();
        return error.retryAfter;
      }
      if (error.code === "ERR_STORE_UNAVAILABLE") {
        expectTypeOf(error).toEqualTypeOf<StoreError>();
        return error.cause;
      }
      expectTypeOf(error).toEqualTypeOf<ConfigError>();
      return error.issues;
    };
    expectTypeOf(told).toBeFunction();
  });

  it("narrow by what becomes of a request", () => {
    if (verdict.kind === "pass")
      expectTypeOf(verdict.decision).toEqualTypeOf<Decision | undefined>();
    else expectTypeOf(verdict.decision).toEqualTypeOf<Decision>();
    if (verdict.kind !== "refuse") {
      // @ts-expect-error only a refusal has a status
      verdict.status;
    }
  });

  it("reach hooks with the request", () => {
    const options: HttpOptions<IncomingMessage> = {
      limit: 1,
      window: "1m",
      onDecision: (decision, req) => {
        expectTypeOf(decision).toEqualTypeOf<Decision>();
        expectTypeOf(req).toEqualTypeOf<IncomingMessage>();
      },
      onError: (error) => expectTypeOf(error).toBeUnknown(),
      onWarning: async ({ code, message }) => `${code} ${message}`,
    };
    expectTypeOf(options).toExtend<HttpOptions<IncomingMessage>>();
  });
});
