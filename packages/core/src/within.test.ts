import { afterEach, expect, it, vi } from "vitest";
import { within } from "./within.ts";

afterEach(() => void vi.useRealTimers());

const late = (): Error => new Error("late");

it.each<[name: string, then: (fulfilled: (value: number) => void, rejected: unknown) => unknown]>([
  ["in place", (fulfilled) => fulfilled(5)],
  ["a moment later", (fulfilled) => queueMicrotask(() => fulfilled(5))],
  ["more than once", (fulfilled) => [fulfilled(5), fulfilled(6)]],
])("settles as a thenable that is no promise does %s, and leaves no timer", async (_, then) => {
  vi.useFakeTimers();
  expect(await within({ then } as PromiseLike<number>, 1000, late)).toBe(5);
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(0);
});

it("rejects when the time is over, once what had arrived by then was heard", async () => {
  vi.useFakeTimers();
  const hanging = within(new Promise(() => {}), 1000, late);
  const rejected = expect(hanging).rejects.toThrow("late");
  await vi.advanceTimersByTimeAsync(1001);
  await rejected;
  let arrive = (_: number): void => {};
  const arriving = within(new Promise<number>((resolve) => (arrive = resolve)), 1000, late);
  setTimeout(() => arrive(7), 1000);
  await vi.advanceTimersByTimeAsync(1001);
  expect(await arriving).toBe(7);
});
