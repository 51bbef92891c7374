import { isPromise } from "./awaitable.ts";

/** Calls a function of the options; what it throws or rejects goes to `failed` only. */
export function callHook(
  hook: (...args: never[]) => unknown,
  args: readonly unknown[],
  failed: (error: unknown) => void,
): void {
  try {
    const result = (hook as (...args: unknown[]) => unknown)(...args);
    if (isPromise(result)) Promise.resolve(result).then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}
