/**
 * Starts `count` calls that must fail, each in a turn of its own, as calls of one turn are sent together, and without
 * waiting in between, so that a slow machine does not look like silence of Redis. Resolves with their errors' messages.
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
