const known = new Map<string, string>();

/**
 * Writes the name of a header field in lower case. `toLowerCase` makes a new string each time, which is not
 * internalized, so that it is hashed and looked up anew wherever it names a property; this one is. Names are few:
 * those of policies and of an application's fields may be among them, so there is an end to what is kept.
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
