import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { areOne } from "../are-one.ts";
import { appendedTo } from "../headers/appended-field.ts";
import { lowerCaseName } from "../headers/lower-case-name.ts";
import { inheritedState, type RequestState } from "../request-state.ts";
import type { Head, WriteHead } from "./head.ts";
import { isHeadSent } from "./head-sent.ts";

/**
 * The key of a response's head, if its request does not carry it. Shared by all copies of the package: two heads would
 * each put their own fields back, and the older one would win. The number is the version of its shape.
 */
export const headKey: unique symbol = Symbol.for("spillway.head/1");

export type Carrier = ServerResponse & { [headKey]?: Head };

/** Marks a `writeHead` that writes what is held, also across copies of the package. */
export const holds: unique symbol = Symbol.for("spillway.holds/1");

export type Holding = WriteHead & { [holds]?: true };

/**
 * Returns the head of a response, from the state of its request or from itself; it is also that of the response's
 * proxies and of what inherits from it.
 */
export function findHead(
  res: ServerResponse,
  state: RequestState | undefined = inheritedState(res.req),
): Head | undefined {
  const head = state?.head;
  if (head?.res === res) return head;
  const own = (res as Carrier)[headKey];
  if (own || !head) return own;
  const derived = Object.prototype.isPrototypeOf.call(head.res, res) || areOne(res, head.res);
  return derived ? head : undefined;
}

/**
 * Makes all responses that inherit from a prototype write what is held of their heads, so that none needs its own
 * `writeHead`; others are not affected. No effect if the prototype has a `writeHead` itself, or accepts none.
 */
export function holdHeadsOf(prototype: object): void {
  if (Object.hasOwn(prototype, "writeHead")) return;
  const above = Object.getPrototypeOf(prototype) as { readonly writeHead: WriteHead };
  const value: Holding = function (this: ServerResponse, status, reason, given) {
    const head = findHead(this);
    // For a refusal even if someone between has wrapped this response's own: nothing may make it cacheable.
    return head && (!head.writeHead || head.drops)
      ? writeHeldHead(this, head, above.writeHead, status, reason, given)
      : above.writeHead.call(this, status, reason, given);
  };
  value[holds] = true;
  Reflect.defineProperty(prototype, "writeHead", { value, configurable: true, writable: true });
}

/**
 * The `writeHead` of a response whose prototype holds nothing. One for all responses, not a closure for each: V8 keeps
 * a response with a closure of its own as a property through minor collections, with all that it leads to.
 */
export const heldWriteHead: Holding = function (this: ServerResponse, status, reason, given) {
  const head = (this as Carrier)[headKey];
  if (head?.writeHead) {
    return writeHeldHead(head.res, head, head.writeHead, status, reason, given);
  }
  // Someone has put it on another response.
  const { writeHead } = Object.getPrototypeOf(this) as { readonly writeHead: WriteHead };
  return writeHead.call(this, status, reason, given);
};
heldWriteHead[holds] = true;

function writeHeldHead(
  res: ServerResponse,
  head: Head,
  writeHead: WriteHead,
  status: number,
  reason: unknown,
  given: unknown,
): ServerResponse {
  // Node throws for a second head.
  if (isHeadSent(res)) return writeHead.call(res, status, reason, given);
  // Node takes headers as the second or third argument, and wrappers pass on both.
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

/** Whether headers given to `writeHead` include all that is held, by lower-case names, and nothing against it. */
function fitAsGiven({ fields, released, drops, appended }: Head, given: unknown): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  if (appended.length > 0 || released.length > 0) return false;
  const headers = given as OutgoingHttpHeaders;
  for (let i = 0; i < fields.length; i++) {
    if (headers[lowerCaseName(fields[i]![0])] !== fields[i]![1]) return false;
  }
  for (const name in headers) {
    // Node rejects an undefined value, and did not see it where headers were moved in.
    if (headers[name] === undefined || name !== lowerCaseName(name) || drops?.(name)) return false;
  }
  return true;
}

function putBack(res: ServerResponse, { fields, released, drops, appended }: Head): void {
  const { getHeader } = res;
  for (const [name, value] of released) {
    if (getHeader.call(res, name) === value) res.removeHeader(name);
  }
  for (let i = 0; i < fields.length; i++) {
    const [name, value] = fields[i]!;
    if (getHeader.call(res, lowerCaseName(name)) !== value) res.setHeader(name, value);
  }
  if (drops) removeFields(res, drops);
  for (const [name, value] of appended) {
    res.setHeader(name, appendedTo(res.getHeader(name), name, value));
  }
}

type HeadHeaders =
  | OutgoingHttpHeaders
  | OutgoingHttpHeader[]
  | readonly [string, OutgoingHttpHeader][];

/** Sets the headers given to `writeHead`: an object, pairs, or alternating names and values. */
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

/** Removes fields by their lower-case names. A test double of a response may not list its fields. */
export function removeFields(res: ServerResponse, removes: (name: string) => boolean): void {
  for (const name of res.getHeaderNames?.() ?? []) if (removes(name)) res.removeHeader(name);
}
