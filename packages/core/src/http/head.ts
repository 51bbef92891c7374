import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { appendTokens } from "./token-list.ts";

/** The header fields of one answer that nobody else may change. */
interface Head {
  readonly writeHead: (...args: unknown[]) => ServerResponse;
  /** Names and values in turn. */
  readonly fields: string[];
  dropped: readonly string[];
  exposed: readonly string[];
  /** What went out; undefined before. */
  status?: number;
}

/**
 * Under this key a response carries its head. A WeakMap would cost more than all the rest of a request. Known across
 * copies of the package: two heads would each put their own fields back, and the older one would win.
 */
const headKey: unique symbol = Symbol.for("spillway.head") as never;

type Carrier = ServerResponse & { [headKey]?: Head };

/**
 * Sets a field now, and again when the head is written, whatever happens to it in between. Error
 * handlers wipe headers, frameworks merge theirs in at the last moment, gateways copy those of an
 * upstream: so held fields are put back in `writeHead`, through which every head goes. Without
 * effect once the head is written.
 */
export function holdField(res: ServerResponse, name: string, value: string): void {
  if (res.headersSent) return;
  const { fields } = headOf(res);
  const at = indexOf(fields, name);
  if (at < 0) fields.push(name, value);
  else fields[at + 1] = value;
  res.setHeader(name, value);
}

/** Keeps fields out of the head, whoever sets them. */
export function dropFields(res: ServerResponse, names: readonly string[]): void {
  if (res.headersSent) return;
  headOf(res).dropped = names;
  for (const name of names) res.removeHeader(name);
}

/** Adds names to Access-Control-Expose-Headers, beside those that others put there. */
export function exposeFields(res: ServerResponse, names: readonly string[]): void {
  if (res.headersSent) return;
  const head = headOf(res);
  head.exposed = [...head.exposed, ...names];
}

/**
 * Notes the status that the head is written with, from now on. Answers how to read it; what was set after the head
 * was written never reached the client.
 */
export function watchStatus(res: ServerResponse): () => number {
  if (!res.headersSent) {
    const head = headOf(res);
    return () => head.status ?? res.statusCode;
  }
  const { statusCode } = res;
  return () => statusCode;
}

function headOf(res: ServerResponse): Head {
  const carrier = res as Carrier;
  const known = carrier[headKey];
  if (known) return known;
  const writeHead = res.writeHead as Head["writeHead"];
  const head: Head = { writeHead, fields: [], dropped: [], exposed: [] };
  carrier[headKey] = head;
  res.writeHead = writeHeldHead as ServerResponse["writeHead"];
  return head;
}

function writeHeldHead(this: Carrier, status: number, ...rest: unknown[]): ServerResponse {
  const head = this[headKey]!;
  const { writeHead, fields, dropped, exposed } = head;
  if (this.headersSent) return writeHead.call(this, status, ...rest);
  // Node takes headers for the second argument or the third, and whoever wraps this passes on both.
  const headers = typeof rest[0] === "string" ? rest[1] : (rest[1] ?? rest[0]);
  if (typeof headers === "object" && headers !== null) moveIn(this, headers as HeadHeaders);
  for (let i = 0; i < fields.length; i += 2) {
    if (this.getHeader(fields[i]!) !== fields[i + 1]) this.setHeader(fields[i]!, fields[i + 1]!);
  }
  for (const name of dropped) this.removeHeader(name);
  if (exposed.length > 0) {
    this.setHeader(exposeName, appendTokens(this.getHeader(exposeName), exposed));
  }
  if (typeof rest[0] === "string") writeHead.call(this, status, rest[0]);
  else writeHead.call(this, status);
  head.status = this.statusCode;
  return this;
}

const exposeName = "Access-Control-Expose-Headers";

type HeadHeaders =
  | OutgoingHttpHeaders
  | OutgoingHttpHeader[]
  | readonly [string, OutgoingHttpHeader][];

/** Sets the headers that were given to `writeHead`: an object, pairs, or names and values in turn. */
function moveIn(res: ServerResponse, headers: HeadHeaders): void {
  if (!Array.isArray(headers)) {
    const given = headers as OutgoingHttpHeaders;
    for (const name of Object.keys(given)) {
      if (given[name] !== undefined) res.setHeader(name, given[name]);
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

function indexOf(fields: readonly string[], name: string): number {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return i;
  return -1;
}
