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

/** Asks for one after the other until something is answered, and answers that; in place as far as all answer in place. */
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

/** Asks for one after the other, and gathers what is answered; in place as far as all answer in place. */
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

/** Asks for one after the other as long as each is answered; undefined as soon as one is not. */
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
