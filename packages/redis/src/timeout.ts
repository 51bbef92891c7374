/**
 * Calls `then` once `ms` have passed and all that had arrived by then has been read: in a process that was blocked for
 * longer, timers run before sockets are read. Returns a function that cancels it.
 */
export function timeout(ms: number, then: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(then);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
