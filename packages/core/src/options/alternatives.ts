/** Writes names as alternatives: `cost, policy or tier`. */
export function alternatives(names: readonly string[]): string {
  return names.join(", ").replace(/, (?=\w+$)/, " or ");
}
