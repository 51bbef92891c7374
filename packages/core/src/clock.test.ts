import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./clock.ts";

afterEach(() => void vi.restoreAllMocks());

describe("systemClock", () => {
  it("tells whole milliseconds since the epoch", () => {
    vi.spyOn(performance, "now").mockReturnValue(1234.9);
    expect(systemClock()).toBe(Math.floor(performance.timeOrigin + 1234.9));
  });

  it("takes no notice of a wall clock that is set back", () => {
    const before = systemClock();
    vi.spyOn(Date, "now").mockReturnValue(0);
    expect(systemClock()).toBeGreaterThanOrEqual(before);
  });

  it("is the time that the machine tells, give or take what was corrected since the start", () => {
    expect(Math.abs(systemClock() - Date.now())).toBeLessThan(86_400_000);
  });
});
