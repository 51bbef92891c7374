/**
 * Returns an error for whatever a function of the options threw or rejected with; errors are returned unchanged.
 * Frameworks take `undefined` for success, and would let the request pass or never answer it.
 */
export function failureOf(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error("A function in the rate limiter's options threw a value that is not an Error", {
    cause: thrown,
  });
}
