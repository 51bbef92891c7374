import { afterEach, vi } from "vitest";

// servers start slowly where many tests run at once
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

/** Runs what tests leave to be done, latest first, after each. */
const tasks: (() => unknown)[] = [];

afterEach(async () => {
  for (const task of tasks.splice(0).reverse()) await task();
});

/** Hands a resource on and remembers how to free it after the test. */
export function freed<T>(resource: T, free: (resource: T) => unknown): T {
  tasks.push(() => free(resource));
  return resource;
}
