/**
 * Settles as a promise or another thenable does, or rejects with the result of `late` after `ms` milliseconds. After
 * being blocked for longer, first receives what has arrived meanwhile: timers run before sockets are read.
 */
export function within<T>(promise: PromiseLike<T>, ms: number, late: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      immediate = setImmediate(() => reject(late()));
    }, ms);
    const done = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
    // Not every thenable returns a promise from `then`.
    Promise.resolve(promise).then(resolve, reject).finally(done);
  });
}
