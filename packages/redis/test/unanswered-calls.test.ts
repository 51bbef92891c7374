import { StoreError } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { expect, test } from "vitest";
import { unansweredCalls } from "../src/unanswered-calls.ts";

const gaveUp = new StoreError("Redis could not answer", new Error("Command timed out"));
const closed = new StoreError("Redis could not answer", new Error("Connection is closed."));
const busy = new StoreError("Redis could not answer", new Error("BUSY Redis is busy"));

/** What is unanswered for part 0, how often its silence was reported, and what happens to a call there. */
function owing(deadline = 100) {
  const clock = manualClock();
  let silent = 0;
  const unanswered = unansweredCalls(deadline, () => silent++, clock);
  const isRefused = (part = 0): boolean => {
    try {
      unanswered.check(part);
      return false;
    } catch (error) {
      expect((error as Error).message).toMatch(
        /^Redis has not answered \d+ calls past their deadline; /,
      );
      return true;
    }
  };
  const send = (count: number, part = 0) =>
    Array.from({ length: count }, () => unanswered.sent(part));
  return { clock, isRefused, send, silent: () => silent };
}

test.each([
  ["is answered", undefined, false],
  ["fails of a server's error", busy, false],
  ["fails of its connection", closed, false],
  ["is given up by its client", gaveUp, true],
])("of 64 overdue calls one that %s is owed no more, or still", (_, error, stays) => {
  const { send, isRefused } = owing();
  const calls = send(64);
  for (const call of calls) call.overdue();
  expect([isRefused(), isRefused(1)]).toEqual([true, false]);
  calls[0]!.ended(error);
  expect(isRefused()).toBe(stays);
});

test("calls that a client gave up are owed until something is heard for their slots", () => {
  const { clock, send, isRefused } = owing();
  for (const call of send(63)) call.ended(gaveUp);
  const [last, other] = [...send(1), ...send(1, 1)];
  expect(isRefused()).toBe(false);
  last!.ended(gaveUp);
  expect(isRefused()).toBe(true);
  other!.ended();
  expect(isRefused()).toBe(true);
  // One is let through a second after the latest.
  clock.advance(999);
  expect(isRefused()).toBe(true);
  clock.advance(1);
  expect([isRefused(), isRefused()]).toEqual([false, true]);
  const [probe] = send(1);
  probe!.ended(gaveUp);
  clock.advance(999);
  expect(isRefused()).toBe(true);
  clock.advance(1);
  expect(isRefused()).toBe(false);
  const [answered] = send(1);
  answered!.ended(busy);
  expect(isRefused()).toBe(false);
});

test.each([
  [gaveUp, 10, 1000],
  [gaveUp, 500, 5000],
  [undefined, 10, 1000],
])(
  "a silence is told that is longer than a second and ten deadlines (%#)",
  (error, deadline, ms) => {
    const { clock, send, isRefused, silent } = owing(deadline);
    for (const call of send(1)) call.ended();
    // A time without calls is not silence.
    clock.advance(60_000);
    for (const call of send(64)) {
      if (error) call.ended(error);
      else call.overdue();
    }
    clock.advance(ms);
    isRefused();
    expect(silent()).toBe(0);
    clock.advance(1);
    isRefused();
    expect(silent()).toBe(1);
  },
);
