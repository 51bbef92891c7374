const namespaces: ReadonlySet<string> = new Set([
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
]);

/** Finds which namespace of the extractors' a key begins with, as in `user:7`; undefined where it is none of theirs. */
export function namespaceOf(key: string): string | undefined {
  const name = key.slice(0, Math.max(0, key.indexOf(":")));
  return namespaces.has(name) ? name : undefined;
}
