/** Returns the value of a parameter in the query of a URL or path, decoded, the first of several with one name. */
export function parameterIn(url: string, name: string): string | undefined {
  const start = url.indexOf("?");
  const fragment = url.indexOf("#");
  if (start < 0 || (fragment >= 0 && fragment < start)) return undefined;
  const text = url.slice(start + 1, fragment < 0 ? undefined : fragment);
  return new URLSearchParams(text).get(name) ?? undefined;
}
