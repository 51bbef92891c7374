import type { RequestContext } from "../request-context.ts";

/** Returns the path that the router matches, as sent, without scheme, host, query and fragment. */
export function pathOf({ req, raw, framework }: RequestContext): string {
  const url = framework.target?.(req) ?? raw.url ?? "/";
  const from = url.charCodeAt(0) === slash ? 0 : afterAuthority(url);
  const query = url.indexOf("?", from);
  const fragment = url.indexOf("#", from);
  const end = query < 0 || (fragment >= 0 && fragment < query) ? fragment : query;
  return from === 0 && end < 0 ? url : url.slice(from, end < 0 ? undefined : end);
}

/**
 * Returns the host that the client requested, in lower case, without port and trailing dot; "" if there is none.
 * Invalid ports and further hosts are dropped too: applications do not look at them.
 */
export function hostOf({ req, raw, framework }: RequestContext): string {
  const { ":authority": authority, host = "" } = raw.headers;
  const sent = typeof authority === "string" ? authority : host;
  const text = sent.includes("@") ? (framework.host?.(req) ?? sent) : sent;
  const name = /^\s*(\[[^\]]*\]|[^:,]*)/.exec(text)![1]!.trimEnd();
  return (name.endsWith(".") ? name.slice(0, -1) : name).toLowerCase();
}

const slash = 0x2f;

function afterAuthority(url: string): number {
  return /^[A-Za-z][-+.0-9A-Za-z]*:\/\/[^/?#]*/.exec(url)?.[0].length ?? 0;
}
