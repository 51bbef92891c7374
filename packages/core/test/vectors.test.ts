import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { receiptOf } from "../src/decisions/decision-record.ts";
import { createLimiter } from "../src/limiter.ts";
import { memoryStore } from "../src/memory-store.ts";
import type { PolicyOptions } from "../src/options/policy-options.ts";
import type { Receipt } from "../src/store.ts";
import { manualClock } from "../src/testing/manual-clock.ts";

interface Vector {
  readonly algorithm: string;
  readonly params: Readonly<Record<string, number | boolean | string>>;
  readonly steps: readonly {
    readonly t_ms: number;
    /** Negative: so much is refunded. */
    readonly cost: number;
    readonly allowed: boolean;
    readonly remaining?: number;
    readonly retry_ms?: number;
    readonly reset_ms?: number;
    readonly repeat_in_ms?: number;
    readonly never?: boolean;
  }[];
}

/** Vectors that cannot be expressed here. */
const inapplicable: Readonly<Record<string, string>> = {
  "composite-all-charge-each": "charges of one request are all taken, or none",
  "even-spread-2-per-5s": "a fixed window holds nobody; a leaky bucket spreads evenly",
  "fixed-block-duration": "no refusal blocks for longer than its window",
  "fixed-drain-over-limit": "a cost that can never fit leaves the rest alone",
  "fixed-plus-burst-pool": "policies add up, none stands in for another",
  "fixed-refund-uncapped": "nothing is given back that was not taken",
  "gcra-10ps-at-most": "a request is admitted whole, or not at all",
  "nginx-limit_req-delay": "a leaky bucket delays from the second request on, or nobody",
  "token-interval-refill-1000-100per15s": "buckets refill evenly, not in steps",
  "token-reserve-10ps-burst2": "nobody may run into debt",
  "token-reserve-maxwait": "nobody may run into debt",
  "token-reserve-mixed": "nobody may run into debt",
};

/** Vectors that round their estimate, which this project does not: the number of steps before that shows. */
const unrounded: Readonly<Record<string, number>> = {
  "swc-limits-lib-previous": 3,
  "swc-symfony-12s": 3,
};

const folder = new URL("../../../../shared/cases/vectors/", import.meta.url);
const names = existsSync(folder)
  ? readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []))
  : [];

describe.skipIf(names.length === 0)(
  "vectors (skipped where the folder with them is not there)",
  () => {
    it("are all tried, but for those of other ways to limit", () => {
      expect(names).toEqual(expect.arrayContaining(Object.keys({ ...inapplicable, ...unrounded })));
      expect(names.length - Object.keys(inapplicable).length).toBeGreaterThan(20);
    });

    it.each(names.filter((name) => !(name in inapplicable)))("%s", async (name) => {
      const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
      const vector = JSON.parse(text) as Vector;
      const clock = manualClock();
      const zero = clock();
      const store = memoryStore({ clock });
      const limiter = createLimiter({ ...optionsOf(vector), store });
      const taken: Receipt[] = [];

      for (const [index, step] of vector.steps.slice(0, unrounded[name]).entries()) {
        clock.set(zero + step.t_ms);
        const decision =
          step.cost < 0 ? undefined : await limiter.check("key", { cost: step.cost });
        if (!decision) giveBack(-step.cost);
        else if (decision.allowed && step.cost > 0) taken.push(receiptOf(decision)!);
        const { remaining, resetAfter } = decision ?? (await limiter.peek("key"));
        const { retryAfter: again } = await limiter.peek("key", { cost: Math.max(0, step.cost) });
        const told = { allowed: decision?.allowed, remaining, resetAfter, again };
        const retry = step.never ? Infinity : (step.retry_ms ?? step.repeat_in_ms);
        const expected = {
          allowed: step.cost < 0 ? undefined : step.allowed,
          remaining: step.remaining ?? remaining,
          resetAfter: step.reset_ms ?? resetAfter,
          again: retry ?? again,
        };
        expect(told, `step ${index + 1}`).toEqual(expected);
        if (decision && !decision.allowed) expect(decision.retryAfter).toBe(again);
      }

      /** Refunds units of the latest charges. */
      function giveBack(units: number): void {
        for (let left = units; left > 0; ) {
          const receipt = taken.pop();
          if (!receipt) return;
          const charge = receipt.charges[0]!;
          const part = Math.min(left, charge.cost);
          void store.give({ ...receipt, charges: [{ ...charge, cost: part }] });
          left -= part;
          if (part < charge.cost) {
            taken.push({ ...receipt, charges: [{ ...charge, cost: charge.cost - part }] });
          }
        }
      }
    });
  },
);

function optionsOf({ algorithm, params }: Vector): PolicyOptions {
  const number = (name: string): number => params[name] as number;
  switch (algorithm) {
    case "fixed_window":
      return {
        algorithm: "fixed-window",
        align: params.aligned ? "clock" : "first-request",
        limit: number("limit"),
        window: number("window_ms"),
      };
    case "sliding_window_counter":
      return { limit: number("limit"), window: number("window_ms") };
    case "sliding_window_log":
      return { algorithm: "sliding-log", limit: number("limit"), window: number("window_ms") };
    case "token_bucket":
      return bucket("token-bucket", number("capacity"), 1 / number("refill_per_ms"));
    case "gcra":
      return bucket("token-bucket", number("capacity"), number("emission_ms"));
    case "leaky_bucket":
      return bucket("leaky-bucket", number("capacity"), number("leak_interval_ms"));
    default:
      throw new Error(`a vector of an unknown kind, ${algorithm}`);
  }
}

function bucket(
  algorithm: "token-bucket" | "leaky-bucket",
  capacity: number,
  interval: number,
): PolicyOptions {
  return { algorithm, limit: capacity, window: Math.round(capacity * interval) };
}
