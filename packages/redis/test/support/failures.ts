/**
 * Starts `count` calls that must fail, each in a turn of its own, as calls of one turn travel together, and waits for
 * none before the next, so that a slow machine is no silence of Redis. Answers what their errors say.
 */
export async function failuresOf(
  count: number,
  call: () => Promise<unknown>,
): Promise<readonly string[]> {
  const messages: Promise<string>[] = [];
  for (let i = 0; i < count; i++) {
    messages.push(
      call().then(
        () => "it answered",
        ({ message }: Error) => message,
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Promise.all(messages);
}
