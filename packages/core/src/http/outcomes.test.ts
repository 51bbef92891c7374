import { describe, expect, it } from "vitest";
import { createGuard } from "./guard.ts";
import type { OutcomeOptions, Outcomes, OutcomeTest } from "./outcomes.ts";
import { meant, outcomeIssues, outcomeTestsOf } from "./outcomes.ts";
import { clientLeft } from "./response/when-answered.ts";

const told = (options: OutcomeOptions<unknown>) =>
  outcomeTestsOf(options as OutcomeOptions<never>, "policies[1].");

describe("outcomes", () => {
  it.each<[Outcomes<unknown>, number[], number[]]>([
    ["failed", [400, 401, 500, clientLeft], [200, 302, 399]],
    ["successful", [101, 200, 399], [400, 500, clientLeft]],
    [[401], [401], [400, 403, 499, 200]],
    [["4xx"], [400, 404, clientLeft], [399, 500, 200]],
    [
      [404, "5xx"],
      [404, 500, 599],
      [403, 400, 200],
    ],
    [
      ["1xx", "2xx", "3xx"],
      [101, 200, 304],
      [400, 500],
    ],
  ])("%o are %o and not %o", (outcomes, those, others) => {
    const { refunds } = told({ refund: outcomes });
    const { refunds: spares, resets } = told({ count: outcomes, resetOn: outcomes });
    for (const status of those) {
      expect([refunds, spares, resets].map((t) => t!(status, 0))).toEqual([true, false, true]);
    }
    for (const status of others) {
      expect([refunds, spares, resets].map((t) => t!(status, 0))).toEqual([false, true, false]);
    }
  });

  it("may be told by a function, now or later", async () => {
    const own = (status: number, req: unknown): boolean => status === 422 && req === "req";
    expect(told({ refund: own }).refunds!(422, "req")).toBe(true);
    expect(told({ count: own }).refunds!(422, "req")).toBe(false);
    expect(await told({ count: async () => false }).refunds!(422, "req")).toBe(true);
    expect(told({})).toEqual({ refunds: undefined, resets: undefined });
  });

  it("are counted or refunded, not both", () => {
    expect(outcomeIssues({ count: "failed", refund: [404] }, "policies[1].")).toMatchObject([
      { path: "policies[1].refund", received: "both" },
    ]);
    expect(outcomeIssues({ count: "failed", resetOn: "successful" }, "")).toEqual([]);
  });

  it.each([
    [{ refund: "4xx" }, /^refund: expected "failed", "successful", a list of statuses/],
    [{ count: [] }, /^count: expected "failed", "successful", a list/],
    [{ resetOn: 200 }, /^resetOn: expected "failed", "successful", a list/],
    [{ count: [200, "6xx", 99] }, /^count\[1\]: expected a status .* count\[2\]: expected/],
    [{ count: "failed", refund: "successful" }, /^refund: expected one of count and refund/],
    [{ unidentified: "ignore" }, /^unidentified: expected one of "address", "skip"/],
  ])("that do not fit are refused: %o", (options, message) => {
    const given = { limit: 1, window: "1m", ...options } as never;
    expect(() => createGuard({} as never, given)).toThrow(message);
  });
});

describe("meant", () => {
  const ask = (answers: readonly (() => unknown)[], errors: unknown[] = []) => {
    const rules = answers.map((refund) => told({ refund: refund as () => boolean }));
    return meant(
      rules,
      ({ refunds }) => refunds,
      500,
      "req",
      (error) => errors.push(error),
    );
  };

  it("asks each rule once, with the status and the request", () => {
    const asked: unknown[] = [];
    const test: OutcomeTest = (...args) => {
      asked.push(args);
      return true;
    };
    const [rule, none] = [{ test }, { test: undefined }];
    const answers = meant<{ test: OutcomeTest | undefined }>(
      [rule, rule, none],
      (one) => one.test,
      500,
      "req",
      () => {},
    );
    expect(answers).toEqual([true, true, false]);
    expect(asked).toEqual([[500, "req"]]);
  });

  it("waits for those that answer later, and only for them", async () => {
    expect(ask([() => true, () => false])).toEqual([true, false]);
    const later = ask([() => true, async () => true, async () => false]);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual([true, true, false]);
  });

  it("reports what fails and what is nonsense, and means nothing by it", async () => {
    const errors: Error[] = [];
    const fails = (): never => {
      throw new Error("mine");
    };
    const answers = [
      fails,
      async () => fails(),
      () => "yes",
      async () => 1,
      () => undefined,
      () => null,
    ];
    expect(await ask(answers, errors)).toEqual(Array(6).fill(false));
    expect(errors.map(({ message }) => message).sort()).toEqual([
      "mine",
      "mine",
      'policies[1].refund: expected true or false, received "yes"',
      "policies[1].refund: expected true or false, received 1",
    ]);
  });

  it("keeps the charge where a function that counts fails", () => {
    const errors: unknown[] = [];
    const count = (): never => {
      throw new Error("mine");
    };
    const counts = told({ count });
    expect(
      meant(
        [counts],
        ({ refunds }) => refunds,
        200,
        0,
        (e) => errors.push(e),
      ),
    ).toEqual([false]);
    expect(errors).toHaveLength(1);
  });
});
