/** What of some options has a value. */
export function definedIn<T extends object>(options: T): Partial<T> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<T>;
}
