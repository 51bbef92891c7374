/**
 * Settles as a promise or another thenable does, or rejects with what `late` answers when `ms` have passed first. A
 * process that was blocked for longer hears what has arrived meanwhile before it gives up: timers run before sockets
 * are read.
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
    // Not every thenable answers a promise.
    Promise.resolve(promise).then(resolve, reject).finally(done);
  });
}
