const known = new Map<string, string>();

/**
 * Returns the name of a header field in lower case. `toLowerCase` creates a new string each time, which is not
 * internalized, so that it is hashed and looked up again wherever it names a property; this one is internalized. Names
 * are few, but those of policies and of an application's fields may be among them, so the cache is bounded.
 */
export function lowerCaseName(name: string): string {
  let lower = known.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    if (known.size >= 1000) known.clear();
    known.set(name, lower);
  }
  return lower;
}
