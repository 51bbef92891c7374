/** Makes a warning as `process.emitWarning` and `onWarning` take it; the codes stand in docs/errors.md. */
export function warningOf(code: string, message: string): Error & { readonly code: string } {
  return Object.assign(new Error(message), { name: "SpillwayWarning", code });
}
