import { describe, expect, it } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import { clientLeft, refunded, refundsOf, settle } from "./refund.ts";

describe("refundsOf", () => {
  it.each([
    ["failed", 399, false],
    ["failed", 400, true],
    ["failed", 500, true],
    ["failed", clientLeft, true],
    ["successful", 200, true],
    ["successful", 399, true],
    ["successful", 400, false],
    ["successful", clientLeft, false],
  ] as const)("%s gives %i back: %s", (option, status, given) => {
    expect(refundsOf(option)!(status, undefined)).toBe(given);
  });

  it("leaves a function as it is, and is nothing without the option", () => {
    const own = (): boolean => true;
    expect(refundsOf(own)).toBe(own);
    expect(refundsOf(undefined)).toBeUndefined();
  });
});

describe("settle", () => {
  it("tells the status on the wire, or that the client left before the head", () => {
    for (const [head, status] of [
      [true, 418],
      [false, clientLeft],
    ] as const) {
      const { res } = requestOf();
      res.statusCode = 418;
      if (head) res.flushHeaders();
      const told: number[] = [];
      settle(res, (status) => told.push(status));
      expect(told).toEqual([]);
      res.emit("close");
      expect(told).toEqual([status]);
    }
  });
});

describe("refunded", () => {
  const ask = (answers: readonly (() => unknown)[], errors: unknown[] = []) =>
    refunded(
      answers.map((refunds) => ({ refunds: refunds as () => boolean })),
      500,
      "req",
      (error) => errors.push(error),
    );

  it("asks each rule once, with the status and the request", () => {
    const asked: unknown[] = [];
    const rule = {
      refunds: (...args: unknown[]) => {
        asked.push(args);
        return true;
      },
    };
    const none = { refunds: undefined };
    expect(refunded([rule, rule, none], 500, "req", () => {})).toEqual([true, true, false]);
    expect(asked).toEqual([[500, "req"]]);
  });

  it("waits for those that answer later, and only for them", async () => {
    expect(ask([() => true, () => false])).toEqual([true, false]);
    const later = ask([() => true, async () => true, async () => false]);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual([true, true, false]);
  });

  it("reports what fails and what is nonsense, and gives nothing back for it", async () => {
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
      'refund: expected true or false, received "yes"',
      "refund: expected true or false, received 1",
    ]);
  });
});
