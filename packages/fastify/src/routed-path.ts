/** The router's options that change which paths are equal. */
export interface RouterOptions {
  readonly useSemicolonDelimiter?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly ignoreTrailingSlash?: boolean;
}

/** Returns the path that Fastify's router looks up, given the application's options. */
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

/**
 * Rebuilds the path by which a route was found, percent-encoded, from its pattern and its parameters. Needed if the
 * request target is not a path: in `http://x?/login` and `*login`, early routers of Fastify 5 read `/login`.
 */
export function pathOfRoute(pattern: string, params: Readonly<Record<string, unknown>>): string {
  let path = "";
  for (let i = 0; i < pattern.length; ) {
    const name = /^:(?!:)([^/(.-]*)/.exec(pattern.slice(i))?.[1];
    if (name !== undefined) {
      path += encodeURIComponent(String(params[name.replace(/\?$/, "")] ?? ""));
      i = afterExpression(pattern, i + 1 + name.length);
    } else if (pattern[i] === "*") {
      path += String(params["*"] ?? "").replace(/[^/]+/g, encodeURIComponent);
      i++;
    } else {
      path += pattern[i] === "%" ? "%25" : pattern[i];
      i += pattern.startsWith("::", i) ? 2 : 1;
    }
  }
  return path.startsWith("/") ? path : `/${path}`;
}

/** Returns the index after the parenthesized expression of a parameter, if there is one. */
function afterExpression(pattern: string, from: number): number {
  if (pattern[from] !== "(") return from;
  let depth = 0;
  for (let i = from; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern[i] === "(") depth++;
    else if (pattern[i] === ")" && --depth === 0) return pattern[i + 1] === "?" ? i + 2 : i + 1;
  }
  return pattern.length;
}
