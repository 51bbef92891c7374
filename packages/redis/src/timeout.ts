/**
 * Calls `then` once when `ms` have passed and whatever had arrived by then has been read: in a process that was
 * blocked for longer, timers run before the sockets are looked at. Answers how to call it off.
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
