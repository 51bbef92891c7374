const namespaces = [
  "ip",
  "user",
  "key",
  "header",
  "claim",
  "cookie",
  "query",
  "agent",
  "route",
  "join",
  "text",
] as const;

/** The namespaces that extractors' keys begin with. A function's key that begins with one is put under `text`. */
export type Namespace = (typeof namespaces)[number];

const known: ReadonlySet<string> = new Set(namespaces);

/** Returns what all keys of an extractor begin with; `name`, of what it reads, must not contain a colon. */
export function keyPrefix(namespace: Namespace, name?: string): string {
  return name === undefined ? `${namespace}:` : `${namespace}:${name}:`;
}

/** Returns the extractors' namespace that a key begins with, as in `user:7`; undefined if it is none of theirs. */
export function namespaceOf(key: string): Namespace | undefined {
  const name = key.slice(0, Math.max(0, key.indexOf(":")));
  return known.has(name) ? (name as Namespace) : undefined;
}
