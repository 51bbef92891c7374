import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { HeaderPair } from "./rate-headers.ts";
import { appendTokens } from "./token-list.ts";

/** The header fields of one answer that nobody else may change. */
interface Head {
  readonly writeHead: (...args: unknown[]) => ServerResponse;
  fields: readonly HeaderPair[];
  dropped: readonly string[];
  exposed: readonly string[];
  /** What went out; undefined before. */
  status: number | undefined;
}

const none: readonly never[] = Object.freeze([]);

/**
 * Under this key a response carries its head. A WeakMap would cost more than all the rest of a request. Known across
 * copies of the package: two heads would each put their own fields back, and the older one would win.
 */
const headKey: unique symbol = Symbol.for("spillway.head") as never;

type Carrier = ServerResponse & { [headKey]?: Head };

/**
 * Sets fields now, and again when the head is written, whatever happens to them in between. Error
 * handlers wipe headers, frameworks merge theirs in at the last moment, gateways copy those of an
 * upstream: so held fields are put back in `writeHead`, through which every head goes. Without
 * effect once the head is written.
 */
export function holdFields(res: ServerResponse, fields: readonly HeaderPair[]): void {
  if (res.headersSent) return;
  const head = headOf(res);
  head.fields = head.fields.length === 0 ? fields : merged(head.fields, fields);
  for (let i = 0; i < fields.length; i++) res.setHeader(fields[i]![0], fields[i]![1]);
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
  const head: Head = { writeHead, fields: none, dropped: none, exposed: none, status: undefined };
  carrier[headKey] = head;
  res.writeHead = writeHeldHead as ServerResponse["writeHead"];
  return head;
}

function writeHeldHead(
  this: Carrier,
  status: number,
  reason?: unknown,
  given?: unknown,
): ServerResponse {
  const head = this[headKey]!;
  const { writeHead, fields, dropped, exposed } = head;
  // Node throws for a second head.
  if (this.headersSent) return writeHead.call(this, status, reason, given);
  // Node takes headers for the second argument or the third, and whoever wraps this passes on both.
  const headers = typeof reason === "string" ? given : (given ?? reason);
  if (typeof headers === "object" && headers !== null) moveIn(this, headers as HeadHeaders);
  for (let i = 0; i < fields.length; i++) {
    const [name, value] = fields[i]!;
    if (this.getHeader(name) !== value) this.setHeader(name, value);
  }
  for (let i = 0; i < dropped.length; i++) this.removeHeader(dropped[i]!);
  if (exposed.length > 0) {
    this.setHeader(exposeName, appendTokens(this.getHeader(exposeName), exposed));
  }
  if (typeof reason === "string") writeHead.call(this, status, reason);
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

/** All fields of both, those of the second where both have one. */
function merged(before: readonly HeaderPair[], fields: readonly HeaderPair[]): HeaderPair[] {
  const kept = before.filter(([name]) => !fields.some(([other]) => other === name));
  return [...kept, ...fields];
}
