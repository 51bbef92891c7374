/** Stores values under small numbers, and reuses the numbers of those removed. */
export interface Overflow<T> {
  put(thing: T): number;
  at(number: number): T;
  takeAway(number: number): void;
}

/** Creates an empty overflow. */
export function createOverflow<T>(): Overflow<T> {
  const things: (T | undefined)[] = [];
  const free: number[] = [];

  return {
    put(thing) {
      const number = free.pop() ?? things.length;
      things[number] = thing;
      return number;
    },

    at: (number) => things[number] as T,

    takeAway(number) {
      if (number === things.length - 1) things.pop();
      else {
        things[number] = undefined;
        free.push(number);
      }
    },
  };
}
