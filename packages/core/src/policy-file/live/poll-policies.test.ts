import { describe, expect, it } from "vitest";
import { manualAfter, settledSoon } from "../../../test/manual-after.ts";
import { type PolicyVersion, type PollPoliciesOptions, pollPolicies } from "../index.ts";

const good = (limit: number): object => ({ limit, window: "1m" });

/** A source whose answers are given by the test. */
function table(answers: (PolicyVersion | undefined | Error)[] = []) {
  const asked: (string | undefined)[] = [];
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  let slow = false;
  return {
    asked,
    answers,
    most: () => most,
    holdBack() {
      slow = true;
    },
    release() {
      slow = false;
      for (const go of waiting.splice(0)) go();
    },
    async load({ version }: { version: string | undefined }) {
      asked.push(version);
      most = Math.max(most, ++running);
      if (slow) await new Promise<void>((resolve) => void waiting.push(resolve));
      running--;
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

async function polled(
  answers: (PolicyVersion | undefined | Error)[],
  options: PollPoliciesOptions = {},
) {
  const time = manualAfter();
  const errors: string[] = [];
  const from = table(answers);
  const source = await pollPolicies(from.load, {
    every: "10s",
    jitter: 0,
    after: time.after,
    onError: (error) => void errors.push((error as Error).message),
    ...options,
  });
  return { source, time, errors, from };
}

describe("pollPolicies", () => {
  it("resolves with the first version, and swaps later ones in as a whole", async () => {
    const { source, time, from } = await polled([{ version: 1, policies: good(1) }]);
    expect(source.current).toEqual(good(1));
    expect(Object.isFrozen(source.current)).toBe(true);
    const told: object[] = [];
    source.subscribe((next) => void told.push(next));
    from.answers.push(
      undefined,
      { version: 1, policies: good(7) },
      { version: 2, policies: good(2) },
    );
    await time.pass(10_000);
    await time.pass(10_000);
    expect([told, source.version]).toEqual([[], "1"]);
    await time.pass(10_000);
    expect([told, source.version]).toEqual([[good(2)], "2"]);
    expect(source.current).toBe(told[0]);
    expect(from.asked).toEqual([undefined, "1", "1", "1"]);
  });

  it("takes texts, by their format", async () => {
    const yaml = { version: "a", policies: "limit: 3\nwindow: 1m\n" };
    const { source } = await polled([yaml], { format: "yaml" });
    expect(source.current).toEqual(good(3));
  });

  it.each<[string, PolicyVersion | undefined | Error, string]>([
    ["rejects", new Error("no such table"), "no such table"],
    ["has nothing", undefined, "load: expected a first version of the policies"],
    [
      "is wrong",
      { version: 9, policies: { limit: -1, window: "1m" } },
      "policies@9: limit: expected a whole number from 0 to 2^53 - 1, received -1",
    ],
    ["has no version", { policies: good(1) } as never, "load: expected an object with version"],
  ])("rejects where the first %s, and looks no more", async (_, answer, message) => {
    const time = manualAfter();
    const from = table([answer]);
    await expect(pollPolicies(from.load, { after: time.after })).rejects.toThrow(message);
    expect(time.waits()).toEqual([]);
  });

  it("keeps the last good version where a new one is bad, and tells of each bad one once", async () => {
    const bad = { version: 2, policies: { limit: 1 } };
    const { source, time, errors, from } = await polled([{ version: 1, policies: good(1) }]);
    from.answers.push(bad, bad, { version: 1, policies: good(1) }, bad);
    await time.pass(10_000);
    expect(errors).toEqual([
      expect.stringContaining("policies@2: window: expected whole milliseconds"),
    ]);
    expect([source.current, source.version]).toEqual([good(1), "1"]);
    await time.pass(20_000);
    expect(errors).toHaveLength(1);
    await time.pass(10_000);
    await time.pass(10_000);
    expect(errors).toHaveLength(2);
  });

  it("waits twice as long after each failure, up to the ceiling, and as before once it is over", async () => {
    const { time, errors, from } = await polled([{ version: 1, policies: good(1) }], {
      ceiling: "1m",
    });
    from.answers.push(...Array.from({ length: 4 }, () => new Error("away")), undefined);
    for (const wait of [10_000, 20_000, 40_000, 60_000, 60_000]) {
      expect(time.waits()).toEqual([wait]);
      await time.pass(wait);
    }
    expect(time.waits()).toEqual([10_000]);
    expect(errors).toEqual(["away", "away", "away", "away"]);
  });

  it("leaves a part of each wait to chance", async () => {
    const { time } = await polled([{ version: 1, policies: good(1) }], {
      jitter: 0.5,
      random: () => 0.5,
    });
    expect(time.waits()).toEqual([7500]);
  });

  it("never looks twice at once, and looks once more where it was asked meanwhile", async () => {
    const { source, time, from } = await polled([{ version: 1, policies: good(1) }]);
    from.holdBack();
    const first = source.refresh();
    const second = source.refresh();
    expect(source.refresh()).toBe(second);
    from.answers.push({ version: 2, policies: good(2) }, { version: 3, policies: good(3) });
    from.release();
    await first;
    expect(source.version).toBe("2");
    await second;
    expect(source.version).toBe("3");
    expect(from.most()).toBe(1);
    expect(time.waits()).toEqual([10_000]);
  });

  it("tells of a look that is late, and does not begin another before it is over", async () => {
    const { source, time, errors, from } = await polled([{ version: 1, policies: good(1) }], {
      deadline: "2s",
    });
    from.holdBack();
    await time.pass(10_000);
    expect(time.waits()).toEqual([2000]);
    await time.pass(2000);
    expect(errors).toEqual(["No answer within 2000 milliseconds"]);
    expect(time.waits()).toEqual([]);
    from.answers.push({ version: 2, policies: good(2) });
    from.release();
    await settledSoon();
    expect(source.version).toBe("2");
    expect(time.waits()).toEqual([20_000]);
  });

  it("tells what is wrong with a version that comes late, as one failure of its look", async () => {
    const { source, time, errors, from } = await polled([{ version: 1, policies: good(1) }], {
      deadline: "2s",
    });
    const bad = { version: 2, policies: { limit: 1 } };
    from.holdBack();
    await time.pass(10_000);
    await time.pass(2000);
    from.answers.push(bad);
    from.release();
    await settledSoon();
    const late = "No answer within 2000 milliseconds";
    const wrong = expect.stringContaining("policies@2: window: expected whole milliseconds");
    expect(errors).toEqual([late, wrong]);
    expect([source.version, time.waits()]).toEqual(["1", [20_000]]);
    from.answers.push(bad, { version: 3, policies: good(3) });
    await source.refresh();
    expect(errors).toHaveLength(2);
    await source.refresh();
    expect([source.version, errors.length]).toEqual(["3", 2]);
  });

  it.each([
    ["with the reason", (signal: AbortSignal) => signal.reason],
    ["with an error of its own", () => new Error("aborted")],
    ["with nothing", () => undefined],
  ])("tells once of a look that is late and then rejects %s", async (_, reason) => {
    const time = manualAfter();
    const errors: unknown[] = [];
    let asked = 0;
    const source = await pollPolicies(
      ({ signal }) => {
        if (asked++ === 0) return { version: 1, policies: good(1) };
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(reason(signal)));
        });
      },
      { after: time.after, jitter: 0, onError: (error) => void errors.push(error) },
    );
    await time.pass(30_000);
    await time.pass(10_000);
    expect(errors).toMatchObject([{ message: "No answer within 10000 milliseconds" }]);
    expect(time.waits()).toEqual([60_000]);
    source.close();
  });

  it("counts a look that rejects with nothing as failed", async () => {
    const time = manualAfter();
    const errors: unknown[] = [];
    let asked = 0;
    const source = await pollPolicies(
      () =>
        asked++ === 0 ? { version: 1, policies: good(1) } : (Promise.reject() as Promise<never>),
      { after: time.after, jitter: 0, onError: (error) => void errors.push(error) },
    );
    await time.pass(30_000);
    expect([errors, time.waits()]).toEqual([[undefined], [60_000]]);
    source.close();
  });

  it("aborts a first look that is late", async () => {
    const time = manualAfter();
    let aborted: unknown;
    const never = pollPolicies(
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
          });
        }),
      { after: time.after, deadline: "1s" },
    );
    const outcome = expect(never).rejects.toThrow("No answer within 1000 milliseconds");
    await time.pass(1000);
    await outcome;
    expect(aborted).toBeInstanceOf(Error);
  });

  it("is not disturbed by a listener that throws, and stops telling who stopped listening", async () => {
    const { source, time, errors, from } = await polled([{ version: 1, policies: good(1) }]);
    const told: string[] = [];
    source.subscribe(() => {
      throw new Error("listener");
    });
    const stop = source.subscribe(() => void told.push("a"));
    source.subscribe(() => void told.push("b"));
    from.answers.push({ version: 2, policies: good(2) }, { version: 3, policies: good(3) });
    await time.pass(10_000);
    stop();
    await time.pass(10_000);
    expect(told).toEqual(["a", "b", "b"]);
    expect(errors).toEqual(["listener", "listener"]);
  });

  it("looks no more once it is closed, and lets nothing that comes late in", async () => {
    const { source, time, from, errors } = await polled([{ version: 1, policies: good(1) }]);
    from.holdBack();
    const late = source.refresh();
    source.close();
    source.close();
    from.answers.push({ version: 2, policies: good(2) });
    from.release();
    await late;
    await source.refresh();
    expect([source.version, errors, time.waits()]).toEqual(["1", [], []]);
    expect(from.asked).toHaveLength(2);
  });

  it("warns once where nobody is told of errors", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const { time, from } = await polled([{ version: 1, policies: good(1) }], {
      onError: undefined,
    });
    from.answers.push(new Error("away"), new Error("away"));
    await time.pass(10_000);
    await time.pass(20_000);
    await settledSoon();
    process.off("warning", note);
    expect(warnings).toMatchObject([{ code: "SPILLWAY_POLICIES_KEPT" }]);
  });

  it.each([
    [{ evry: 1 }, "evry: expected a known option (did you mean every?)"],
    [{ every: "1 minute" }, '"10s" or "1m" (did you mean "1m"?)'],
    [{ every: "30" }, '"10s" or "1m" (a string needs a unit: "30s")'],
    [{ jitter: 2 }, "jitter: expected a number from 0 to 1"],
    [{ functions: null }, "functions: expected an object of functions by their names"],
    [{ functions: { mine: 1 } }, "functions.mine: expected a function, received 1"],
    [{ format: "YAML" }, 'format: expected one of "json", "yaml" (did you mean "yaml"?)'],
    [null, "options: expected an object, received null"],
  ])("refuses options that do not fit: %o", (options, message) => {
    expect(() => pollPolicies(() => undefined, options as never)).toThrow(message);
  });

  it("refuses what is no function to ask", () => {
    const message = "load: expected a function, received an object";
    expect(() => pollPolicies({ version: 1, policies: good(1) } as never)).toThrow(message);
  });
});
