import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { carriedAlong } from "./carried.ts";
import { folded } from "./folded.ts";
import type { HeaderPair } from "./rate-headers.ts";
import { appendTokens } from "./token-list.ts";

/** The header fields of one answer that nobody else may change. A class, as all that leads to a request. */
class Head {
  declare readonly res: ServerResponse;
  /** What the response writes its head with itself; undefined where its prototype writes what is held. */
  declare writeHead: WriteHead | undefined;
  declare fields: readonly HeaderPair[];
  /** Tells by their lower-case names the fields that are kept out. */
  declare drops: ((name: string) => boolean) | undefined;
  declare exposed: readonly string[];
  /** What went out; undefined before. */
  declare status: number | undefined;

  constructor(res: ServerResponse) {
    this.res = res;
    this.writeHead = undefined;
    this.fields = none;
    this.drops = undefined;
    this.exposed = none;
    this.status = undefined;
  }
}

/**
 * Under this key a response carries its head, where its request does not. Known across copies of the package: two heads
 * would each put their own fields back, and the older one would win.
 */
const headKey: unique symbol = Symbol.for("spillway.head") as never;

type Carrier = ServerResponse & { [headKey]?: Head };

const none: readonly never[] = Object.freeze([]);

/**
 * Sets fields now, and again when the head is written, whatever happens to them in between. Error
 * handlers wipe headers, frameworks merge theirs in at the last moment, gateways copy those of an
 * upstream: so held fields are put back in `writeHead`, through which every head goes. Without
 * effect once the head is written. What somebody else sets now is only held.
 */
export function holdFields(
  res: ServerResponse,
  fields: readonly HeaderPair[],
  { setsFields = false }: { readonly setsFields?: boolean | undefined } = {},
): void {
  if (res.headersSent) return;
  const head = headOf(res);
  head.fields = head.fields.length === 0 ? fields : merged(head.fields, fields);
  if (setsFields) return;
  const { setHeader } = res;
  for (let i = 0; i < fields.length; i++) setHeader.call(res, fields[i]![0], fields[i]![1]);
}

/**
 * Keeps fields out of the head, whoever sets them, and removes fields that are set, both by their lower-case names.
 * What is removed and not kept out may be set again.
 */
export function dropFields(
  res: ServerResponse,
  drops: (name: string) => boolean,
  removes: (name: string) => boolean = drops,
): void {
  if (res.headersSent) return;
  headOf(res).drops = drops;
  removeFields(res, removes);
}

/** What stands in for a response in a test may not know its fields. */
function removeFields(res: ServerResponse, removes: (name: string) => boolean): void {
  for (const name of res.getHeaderNames?.() ?? []) if (removes(name)) res.removeHeader(name);
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

/**
 * Lets all responses that inherit from a prototype write what is held of their heads, so that none needs a `writeHead`
 * of its own; of others nothing changes. Without effect where the prototype has a `writeHead` itself, or takes none.
 */
export function holdHeadsOf(prototype: object): void {
  if (Object.hasOwn(prototype, "writeHead")) return;
  const above = Object.getPrototypeOf(prototype) as { readonly writeHead: WriteHead };
  const value: Holding = function (this: ServerResponse, status, reason, given) {
    const head = findHead(this);
    return head && !head.writeHead
      ? writeHeldHead(this, head, above.writeHead, status, reason, given)
      : above.writeHead.call(this, status, reason, given);
  };
  value[holds] = true;
  Reflect.defineProperty(prototype, "writeHead", { value, configurable: true, writable: true });
}

type WriteHead = (
  this: ServerResponse,
  status: number,
  reason?: unknown,
  given?: unknown,
) => ServerResponse;

/** Tells a `writeHead` that writes what is held, also across copies of the package. */
const holds: unique symbol = Symbol.for("spillway.holds") as never;

type Holding = WriteHead & { [holds]?: true };

/**
 * The `writeHead` that a response is given where its prototype holds nothing. One for all: V8 keeps a response, and all
 * that it leads to, for longer where a function is made for it, and puts what later ones make among old objects at once.
 */
const heldWriteHead: Holding = function (this: ServerResponse, status, reason, given) {
  const head = (this as Carrier)[headKey];
  if (head?.writeHead) {
    return writeHeldHead(head.res, head, head.writeHead, status, reason, given);
  }
  // Somebody has put it on another response.
  const { writeHead } = Object.getPrototypeOf(this) as { readonly writeHead: WriteHead };
  return writeHead.call(this, status, reason, given);
};
heldWriteHead[holds] = true;

function findHead(res: ServerResponse): Head | undefined {
  const carried = carriedAlong(res.req)?.head as Head | undefined;
  return carried !== undefined && carried.res === res ? carried : (res as Carrier)[headKey];
}

/**
 * Finds the head of a response, or begins it: on its request, where that carries none and the prototype holds heads,
 * else on the response.
 */
function headOf(res: ServerResponse): Head {
  const known = findHead(res);
  if (known) return known;
  const head = new Head(res);
  const writeHead = res.writeHead as Holding | undefined;
  // Where somebody has wrapped this response's own, nobody knows whether that leads to the prototype's.
  if (writeHead && !writeHead[holds]) {
    head.writeHead = writeHead;
    (res as Carrier)[headKey] = head;
    res.writeHead = heldWriteHead as ServerResponse["writeHead"];
    return head;
  }
  const carried = carriedAlong(res.req);
  if (carried && !carried.head) carried.head = head;
  else (res as Carrier)[headKey] = head;
  return head;
}

function writeHeldHead(
  res: ServerResponse,
  head: Head,
  writeHead: WriteHead,
  status: number,
  reason: unknown,
  given: unknown,
): ServerResponse {
  // Node throws for a second head.
  if (res.headersSent) return writeHead.call(res, status, reason, given);
  // Node takes headers for the second argument or the third, and whoever wraps this passes on both.
  const headers = typeof reason === "string" ? given : (given ?? reason);
  if (fitAsGiven(head, headers)) {
    if (head.drops) removeFields(res, head.drops);
    writeHead.call(res, status, reason, given);
  } else {
    if (typeof headers === "object" && headers !== null) moveIn(res, headers as HeadHeaders);
    putBack(res, head);
    if (typeof reason === "string") writeHead.call(res, status, reason);
    else writeHead.call(res, status);
  }
  head.status = res.statusCode;
  return res;
}

/** Whether headers that are given to `writeHead` have all that is held, by lower-case names, and nothing against it. */
function fitAsGiven({ fields, drops, exposed }: Head, given: unknown): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  if (exposed.length > 0) return false;
  const headers = given as OutgoingHttpHeaders;
  for (let i = 0; i < fields.length; i++) {
    if (headers[folded(fields[i]![0])] !== fields[i]![1]) return false;
  }
  for (const name in headers) if (name !== name.toLowerCase() || drops?.(name)) return false;
  return true;
}

function putBack(res: ServerResponse, { fields, drops, exposed }: Head): void {
  const { getHeader } = res;
  for (let i = 0; i < fields.length; i++) {
    const [name, value] = fields[i]!;
    if (getHeader.call(res, name) !== value) res.setHeader(name, value);
  }
  if (drops) removeFields(res, drops);
  if (exposed.length > 0) {
    res.setHeader(exposeName, appendTokens(res.getHeader(exposeName), exposed));
  }
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
    const lower = name.toLowerCase();
    if (seen.has(lower)) res.appendHeader(name, value as string | string[]);
    else res.setHeader(name, value);
    seen.add(lower);
  }
}

function pairsOf(flat: readonly OutgoingHttpHeader[]): [string, OutgoingHttpHeader][] {
  const pairs: [string, OutgoingHttpHeader][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([String(flat[i]), flat[i + 1]!]);
  return pairs;
}

/** All fields of both, those of the second where both have one. */
function merged(before: readonly HeaderPair[], fields: readonly HeaderPair[]): HeaderPair[] {
  const twice = before.some(([name]) => has(fields, name));
  return (twice ? before.filter(([name]) => !has(fields, name)) : before).concat(fields);
}

function has(fields: readonly HeaderPair[], name: string): boolean {
  for (let i = 0; i < fields.length; i++) if (fields[i]![0] === name) return true;
  return false;
}
