import { afterEach, vi } from "vitest";

// Servers start slowly when many tests run at once.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

/** Runs the tasks that tests left, latest first, after each. */
const tasks: (() => unknown)[] = [];

afterEach(async () => {
  for (const task of tasks.splice(0).reverse()) await task();
});

/** Returns a resource, and frees it after the test. */
export function freed<T>(resource: T, free: (resource: T) => unknown): T {
  tasks.push(() => free(resource));
  return resource;
}
