/** Creates a warning for `process.emitWarning` and `onWarning`; docs/errors.md lists the codes. */
export function warningOf(code: string, message: string): Error & { readonly code: string } {
  return Object.assign(new Error(message), { name: "SpillwayWarning", code });
}
