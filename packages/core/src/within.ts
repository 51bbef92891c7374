/**
 * Settles as a promise does, or rejects with what `late` answers when `ms` have passed first. A process that was
 * blocked for longer hears what has arrived meanwhile before it gives up: timers run before sockets are read.
 */
export function within<T>(promise: Promise<T>, ms: number, late: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      immediate = setImmediate(() => reject(late()));
    }, ms);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      clearImmediate(immediate);
    });
  });
}
