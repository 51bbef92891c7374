/** A value, or a promise of it; synchronous where possible. */
export type Awaitable<T> = T | Promise<T>;

/** Applies a function to a value now, or to a promise's value when it arrives. */
export function settled<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  // Not every thenable returns a promise from `then`, or accepts a call without a second function.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value as T);
}

/** Whether a value is a promise or another thenable; null and undefined are not. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Calls `ask` for each member until one result is defined, and returns that; synchronous as long as all results are.
 */
export function firstOf<T, U>(
  list: readonly T[],
  ask: (one: T) => Awaitable<U | undefined>,
  from = 0,
): Awaitable<U | undefined> {
  for (let i = from; i < list.length; i++) {
    const answer = ask(list[i]!);
    if (isPromise(answer)) {
      return settled(answer, (known) => (known === undefined ? firstOf(list, ask, i + 1) : known));
    }
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Calls `ask` for each member in turn and collects the defined results; synchronous as long as all results are. */
export function eachOf<T, U>(
  list: readonly T[],
  ask: (one: T) => Awaitable<U | undefined>,
): Awaitable<U[]> {
  const answers: U[] = [];
  const asked = firstOf(list, (one) =>
    settled(ask(one), (answer): undefined => {
      if (answer !== undefined) answers.push(answer);
    }),
  );
  return settled(asked, () => answers);
}

/**
 * Calls `ask` for each member in turn and collects the results; stops and returns undefined at the first undefined one.
 */
export function allOf<T, U>(
  list: readonly T[],
  ask: (one: T) => Awaitable<U | undefined>,
): Awaitable<U[] | undefined> {
  const answers: U[] = [];
  const missing = firstOf(list, (one) =>
    settled(ask(one), (answer): true | undefined => {
      if (answer === undefined) return true;
      answers.push(answer);
      return undefined;
    }),
  );
  return settled(missing, (found) => (found ? undefined : answers));
}
