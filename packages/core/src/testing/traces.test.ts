import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { manualClock } from "./manual-clock.ts";
import { plainStore } from "./plain-store.ts";
import { replay, traces } from "./traces.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("traces", () => {
  it("are the same for the same seed, and others for others", () => {
    const shape = (seed: number) => JSON.stringify(traces({ seed, count: 3 }));
    expect(shape(7)).toBe(shape(7));
    expect(shape(7)).not.toBe(shape(8));
    expect(traces({ seed: 9, count: 1 })).toEqual([expect.objectContaining({ seed: 9 })]);
  });

  it("hold everything that may happen to a store", () => {
    const all = traces({ count: 40 });
    const steps = all.flatMap((trace) => trace.steps);
    const done = new Set(steps.map((step) => step.does));
    expect(done).toEqual(new Set(["take", "look", "give", "reset", "change", "move"]));
    const policies = all.flatMap((trace) => trace.policies);
    expect(new Set(policies.map(({ algorithm }) => algorithm.name)).size).toBe(5);
    expect(policies.some(({ shadow }) => shadow)).toBe(true);
    expect(policies.some(({ countRefused }) => countRefused)).toBe(true);
    expect(steps.some((step) => step.does === "move" && step.by < 0)).toBe(true);
  });

  it("bring keys to their limit about as often as not", async () => {
    let fitting = 0;
    let refused = 0;
    for (const trace of traces({ count: 40 })) {
      const clock = manualClock();
      for (const { fits } of await replay(trace, plainStore({ clock }), clock)) {
        if (fits.every(Boolean)) fitting++;
        else refused++;
      }
    }
    expect(fitting).toBeGreaterThan(refused / 3);
    expect(refused).toBeGreaterThan(fitting / 3);
  });
});

describe("replay", () => {
  it("plays the same on the shortest store and on the one in memory", async () => {
    for (const trace of traces({ count: 60 })) {
      const clock = manualClock();
      const plain = await replay(trace, plainStore({ clock }), clock);
      const memory = await replay(trace, memoryStore({ clock }), clock);
      expect(memory, `seed ${trace.seed}`).toEqual(plain);
    }
  });
});
