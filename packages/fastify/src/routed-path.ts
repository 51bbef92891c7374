/** What of the router's options changes which paths are one. */
export interface RouterOptions {
  readonly useSemicolonDelimiter?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly ignoreTrailingSlash?: boolean;
}

/** Answers the path that Fastify's router looks for, as the application's options have it. */
export function routedPath(url: string, options: RouterOptions): string {
  const { useSemicolonDelimiter, ignoreDuplicateSlashes, ignoreTrailingSlash } = options;
  if (!useSemicolonDelimiter && !ignoreDuplicateSlashes && !ignoreTrailingSlash) return url;
  const whole = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const end = whole.slice(1).search(useSemicolonDelimiter ? /[?#;]/ : /[?#]/);
  let path = end < 0 ? whole : whole.slice(0, end + 1);
  if (ignoreDuplicateSlashes) path = path.replace(/\/\/+/g, "/");
  if (ignoreTrailingSlash && path.length > 1 && path.endsWith("/")) path = path.slice(0, -1);
  return path;
}
