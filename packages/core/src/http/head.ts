import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { appendTokens } from "./token-list.ts";

/** The header fields of one answer that nobody else may change. */
export interface Head {
  /** Sets a field, now and again when the head is written, whatever happens to it in between. */
  set(name: string, value: string): void;
  /** Keeps a field out. */
  drop(name: string): void;
  /** Adds names to Access-Control-Expose-Headers, beside those that others put there. */
  expose(names: readonly string[]): void;
}

/** Under this key a response carries its head. A WeakMap would cost more than all the rest of a request. */
const headKey: unique symbol = Symbol("spillway.head");

type Carrier = ServerResponse & { [headKey]?: Head };

/**
 * Holds header fields until the head is written. Error handlers wipe headers, frameworks merge
 * theirs in at the last moment, gateways copy those of an upstream: so our fields are put back in
 * `writeHead`, through which every head goes.
 */
export function headOf(res: ServerResponse): Head {
  const carrier = res as Carrier;
  carrier[headKey] ??= createHead(res);
  return carrier[headKey];
}

function createHead(res: ServerResponse): Head {
  const fields = new Map<string, [name: string, value: string]>();
  const dropped = new Set<string>();
  let exposed: readonly string[] = [];
  const writeHead = res.writeHead as (...args: unknown[]) => ServerResponse;

  function restore(): void {
    for (const [name, value] of fields.values()) {
      if (res.getHeader(name) !== value) res.setHeader(name, value);
    }
    for (const name of dropped) res.removeHeader(name);
    if (exposed.length === 0) return;
    const existing = res.getHeader(exposeName);
    res.setHeader(exposeName, appendTokens(existing, exposed));
  }

  res.writeHead = function (this: ServerResponse, status: number, ...rest: unknown[]) {
    const headers = rest.at(-1);
    if (!res.headersSent) {
      if (typeof headers === "object" && headers !== null) moveIn(res, headers as HeadHeaders);
      restore();
    }
    const reason = typeof rest[0] === "string" ? [rest[0]] : [];
    return writeHead.call(this, status, ...reason);
  } as ServerResponse["writeHead"];

  return {
    set(name, value) {
      dropped.delete(name.toLowerCase());
      fields.set(name.toLowerCase(), [name, value]);
      if (!res.headersSent) res.setHeader(name, value);
    },
    drop(name) {
      fields.delete(name.toLowerCase());
      dropped.add(name.toLowerCase());
      if (!res.headersSent) res.removeHeader(name);
    },
    expose(names) {
      exposed = [...exposed, ...names];
    },
  };
}

const exposeName = "Access-Control-Expose-Headers";

type HeadHeaders =
  | OutgoingHttpHeaders
  | OutgoingHttpHeader[]
  | readonly [string, OutgoingHttpHeader][];

/** Sets the headers that were given to `writeHead`: an object, pairs, or names and values in turn. */
function moveIn(res: ServerResponse, headers: HeadHeaders): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) res.setHeader(name, value);
    }
    return;
  }
  const pairs: [string, OutgoingHttpHeader][] = Array.isArray(headers[0])
    ? (headers as [string, OutgoingHttpHeader][])
    : pairsOf(headers as OutgoingHttpHeader[]);
  const seen = new Set<string>();
  for (const [name, value] of pairs) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) res.appendHeader(name, value as string | string[]);
    else res.setHeader(name, value);
    seen.add(folded);
  }
}

function pairsOf(flat: readonly OutgoingHttpHeader[]): [string, OutgoingHttpHeader][] {
  const pairs: [string, OutgoingHttpHeader][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([String(flat[i]), flat[i + 1]!]);
  return pairs;
}
