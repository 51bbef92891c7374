import { expectTypeOf, it } from "vitest";
import {
  type ConfigError,
  createLimiter,
  type Decision,
  type LimiterOptions,
  type RateLimitError,
  type Reason,
  type StoreError,
} from "../../src/index.ts";

it("B141 takes functions that answer now or later, and undefined for the default", () => {
  createLimiter({ limit: () => 5, window: "1m", cost: () => 1, skip: () => false });
  createLimiter({
    limit: async () => 5,
    window: 1000,
    cost: async () => 1,
    skip: async () => true,
  });
  createLimiter({ limit: 5, window: "1m", name: undefined, store: undefined, cost: undefined });
  const partial: { shadow?: boolean } = {};
  createLimiter({ limit: 5, window: "1m", ...partial });
  // @ts-expect-error a window without a unit
  createLimiter({ limit: 5, window: "60000" });
  // @ts-expect-error a limit is a number
  createLimiter({ limit: "5", window: "1m" });
  // @ts-expect-error only true and false skip
  createLimiter({ limit: 5, window: "1m", skip: () => "yes" });
  // @ts-expect-error an option that does not exist
  createLimiter({ limit: 5, window: "1m", max: 5 });
  // @ts-expect-error each of several policies has a name
  createLimiter({ policies: [{ limit: 5, window: "1m" }] });
  // @ts-expect-error one policy or several
  createLimiter({ limit: 5, window: "1m", policies: [] });
  expectTypeOf<LimiterOptions["onStoreError"]>().toEqualTypeOf<"open" | "closed" | undefined>();
});

it("B143 narrows decisions by what they say", () => {
  const decision = {} as Decision;
  expectTypeOf(decision.retryAfter).toEqualTypeOf<number>();
  expectTypeOf(decision.reason).toEqualTypeOf<Reason>();
  if (decision.allowed) {
    expectTypeOf(decision.reason).toEqualTypeOf<"ok" | "skipped" | "store-unavailable">();
  } else {
    type Refusal = "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable";
    expectTypeOf(decision.reason).toEqualTypeOf<Refusal>();
  }
  // @ts-expect-error a decision cannot be changed
  decision.remaining = 5;
});

it("B143 tells errors apart by their codes", () => {
  const error = {} as ConfigError | RateLimitError | StoreError;
  switch (error.code) {
    case "ERR_INVALID_CONFIG":
      expectTypeOf(error).toEqualTypeOf<ConfigError>();
      break;
    case "ERR_RATE_LIMITED":
      expectTypeOf(error.decision).toEqualTypeOf<Decision>();
      break;
    case "ERR_STORE_UNAVAILABLE":
      expectTypeOf(error).toEqualTypeOf<StoreError>();
      break;
    default:
      expectTypeOf(error).toBeNever();
  }
});
