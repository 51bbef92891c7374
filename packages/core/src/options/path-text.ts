/** Writes where something stands within options that are called `at`, such as `policies[1].limit`. */
export function pathText(at: string, path: readonly PropertyKey[]): string {
  let text = at;
  for (const part of path) {
    text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  }
  return text;
}
