import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe("sweepRegularly", () => {
  beforeEach(() => {
    vi.resetModules();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => void vi.useRealTimers());

  it("sweeps every store with one timer, which keeps no process alive", async () => {
    const { sweepRegularly } = await import("./sweeper.ts");
    const unref = vi.spyOn(globalThis, "setInterval");
    const stores = Array.from({ length: 5 }, () => ({ sweep: vi.fn() }));
    for (const store of stores) sweepRegularly(store, store.sweep);
    expect(vi.getTimerCount()).toBe(1);
    expect((unref.mock.results[0]!.value as NodeJS.Timeout).hasRef()).toBe(false);
    vi.advanceTimersByTime(3000);
    for (const { sweep } of stores) {
      expect(sweep).toHaveBeenCalledTimes(3);
      expect(sweep.mock.calls[0]![0]).toBeGreaterThan(0);
    }
  });

  it("lets go of a store that nobody holds, and of the timer with the last one", async () => {
    const { sweepRegularly } = await import("./sweeper.ts");
    const sweep = vi.fn();
    (() => {
      const store = { sweep: () => sweep() };
      sweepRegularly(store, store.sweep);
    })();
    vi.advanceTimersByTime(1000);
    expect(sweep).toHaveBeenCalledTimes(1);
    await setImmediate();
    collect();
    await setImmediate();
    vi.advanceTimersByTime(1000);
    expect(sweep).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
    const store = { sweep: vi.fn() };
    sweepRegularly(store, store.sweep);
    vi.advanceTimersByTime(1000);
    expect(store.sweep).toHaveBeenCalledTimes(1);
  });
});
