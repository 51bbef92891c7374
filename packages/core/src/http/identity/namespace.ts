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

/** What the keys of an extractor begin with; no text of a user does. */
export type Namespace = (typeof namespaces)[number];

const known: ReadonlySet<string> = new Set(namespaces);

/** Writes what all keys of an extractor begin with; `name`, of what it reads, holds no colon. */
export function keyPrefix(namespace: Namespace, name?: string): string {
  return name === undefined ? `${namespace}:` : `${namespace}:${name}:`;
}

/** Finds which namespace of the extractors' a key begins with, as in `user:7`; undefined where it is none of theirs. */
export function namespaceOf(key: string): Namespace | undefined {
  const name = key.slice(0, Math.max(0, key.indexOf(":")));
  return known.has(name) ? (name as Namespace) : undefined;
}
