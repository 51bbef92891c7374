/** A value, or a promise of it: what answers in place where it can. */
export type Awaitable<T> = T | Promise<T>;

/** Applies a function to a value now, or to a promise's value when it arrives. */
export function settled<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  // Not every thenable answers a promise, nor takes a call without the second function.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value as T);
}

/** Tells a promise, whoever made it, from any other value; null and undefined are none. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
