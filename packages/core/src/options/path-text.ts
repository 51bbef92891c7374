/** Returns a path within options in text, such as `policies[1].limit`; `at` is its start. */
export function pathText(at: string, path: readonly PropertyKey[]): string {
  let text = at;
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  }
  return text;
}
