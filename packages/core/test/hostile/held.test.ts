import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createGuard, type Guard, type HttpOptions } from "../../src/http/index.ts";
import { memoryStore, type Store } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";
import { requestOf } from "../http-scenarios/requests.ts";

const clock = manualClock();

function guardBy(store: Store, more: object): Guard<BareRequest> {
  const given = { action: "delay", key: () => "one", store, onWarning: () => {}, ...more };
  return createGuard(bareFramework(), given as unknown as HttpOptions<BareRequest>);
}

/** Advances both clocks, a millisecond at a time. */
async function run(ms: number): Promise<void> {
  for (let i = 0; i < ms; i++) {
    clock.advance(1);
    await vi.advanceTimersByTimeAsync(1);
  }
}

function withFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("requests that are held", () => {
  it("in great numbers do not ask the store all at once, and all that fit get in", async () => {
    withFakeTimers();
    const memory = memoryStore({ clock });
    let asked = 0;
    const take: Store["take"] = (charges, keep) => {
      asked++;
      return memory.take(charges, keep);
    };
    const limits = { limit: 100, window: "1s", algorithm: "token-bucket", burst: 1 };
    const guard = guardBy({ ...memory, take }, { ...limits, maxDelay: "500ms" });
    const requests = Array.from({ length: 200 }, () => requestOf());
    let passed = 0;
    const verdicts = requests.map(async (req) => {
      const { kind } = await guard.admit(req);
      if (kind === "pass") passed++;
      return kind;
    });
    await run(300);
    // All at once, they would make 200 calls every 10 milliseconds.
    expect(asked).toBeLessThan(200 + 0.3 * 5000);
    expect(passed).toBeGreaterThan(27);
    await run(250);
    const kinds = await Promise.all(verdicts);
    expect(new Set(kinds)).toEqual(new Set(["pass", "refuse"]));
    expect(passed).toBeGreaterThan(45);
  });

  it("by a clock that stands still are refused after their time, and told the wait", async () => {
    withFakeTimers();
    const guard = guardBy(memoryStore({ clock: () => 1000 }), {
      limit: 1,
      window: 200,
      maxDelay: 900,
    });
    await guard.admit(requestOf());
    const verdict = guard.admit(requestOf());
    await vi.advanceTimersByTimeAsync(900);
    expect(await verdict).toMatchObject({ kind: "refuse", decision: { reason: "limited" } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("and whose client leaves while a store is asked owe nothing", async () => {
    withFakeTimers();
    const memory = memoryStore({ clock });
    let answer = (): void => {};
    let slow = false;
    const take: Store["take"] = async (charges, keep) => {
      if (slow) {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      }
      return memory.take(charges, keep);
    };
    const told: boolean[] = [];
    const guard = guardBy(
      { ...memory, take },
      {
        limit: 1,
        window: "1s",
        algorithm: "fixed-window",
        onDecision: ({ allowed }: { allowed: boolean }) => told.push(allowed),
      },
    );
    await guard.admit(requestOf());
    const req = requestOf();
    const verdict = guard.admit(req) as Promise<{ kind: string }>;
    await vi.advanceTimersByTimeAsync(0);
    slow = true;
    clock.advance(1000);
    await vi.advanceTimersByTimeAsync(1000);
    req.res.destroy();
    answer();
    expect((await verdict).kind).toBe("gone");
    expect(told).toEqual([true]);
    slow = false;
    expect((await guard.admit(requestOf())).kind).toBe("pass");
  });
});
