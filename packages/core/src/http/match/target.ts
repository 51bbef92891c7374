import type { Call } from "../call.ts";

/** The path that the router matches, as sent, without scheme, host, query and fragment. */
export function pathOf({ req, raw, framework }: Call): string {
  const url = framework.target?.(req) ?? raw.url ?? "/";
  const from = url.charCodeAt(0) === slash ? 0 : afterAuthority(url);
  const query = url.indexOf("?", from);
  const fragment = url.indexOf("#", from);
  const end = query < 0 || (fragment >= 0 && fragment < query) ? fragment : query;
  return from === 0 && end < 0 ? url : url.slice(from, end < 0 ? undefined : end);
}

/** The host that the client asked for, in lower case, without port and the dot of the root; "" where it named none. */
export function hostOf({ raw }: Call): string {
  const { ":authority": authority, host = "" } = raw.headers;
  const text = typeof authority === "string" ? authority : host;
  const portless = text.replace(/:[0-9]*$/, "");
  return (portless.endsWith(".") ? portless.slice(0, -1) : portless).toLowerCase();
}

const slash = 0x2f;

function afterAuthority(url: string): number {
  return /^[A-Za-z][-+.0-9A-Za-z]*:\/\/[^/?#]*/.exec(url)?.[0].length ?? 0;
}
