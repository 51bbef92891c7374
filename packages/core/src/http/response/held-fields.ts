import type { ServerResponse } from "node:http";
import type { HeaderPair } from "../headers/rate-headers.ts";
import { inheritedState } from "../request-state.ts";
import { Head } from "./head.ts";
import { isHeadSent } from "./head-sent.ts";
import {
  type Carrier,
  findHead,
  type Holding,
  headKey,
  heldWriteHead,
  holds,
  removeFields,
} from "./write-head.ts";

/**
 * Sets fields now, and again when the head is written, whatever happens to them in between. Error handlers clear
 * headers, frameworks merge theirs at the last moment, gateways copy an upstream's: so held fields are put back in
 * `writeHead`, through which every head goes. No effect once the head is written. With `setsFields` they are only held:
 * the adapter sets them. Fields held `before` are released if `fields` has none of that name.
 */
export function holdFields(
  res: ServerResponse,
  fields: readonly HeaderPair[],
  { setsFields = false }: { readonly setsFields?: boolean | undefined } = {},
  before: readonly HeaderPair[] = [],
): void {
  if (isHeadSent(res)) return;
  const head = headOf(res);
  if (before.length > 0) release(head, before, fields);
  head.fields = head.fields.length === 0 ? fields : merged(head.fields, fields);
  if (setsFields) return;
  const { setHeader } = res;
  for (let i = 0; i < fields.length; i++) setHeader.call(res, fields[i]![0], fields[i]![1]);
}

/**
 * Keeps fields out of the head, whoever sets them, and removes fields already set, both by lower-case name. A field
 * that is removed but not kept out may be set again.
 */
export function dropFields(
  res: ServerResponse,
  drops: (name: string) => boolean,
  removes: (name: string) => boolean = drops,
): void {
  if (isHeadSent(res)) return;
  headOf(res).drops = drops;
  removeFields(res, removes);
}

/** Appends to fields that are lists when the head is written, beside the values of others; see `isAppended`. */
export function appendFields(res: ServerResponse, fields: readonly HeaderPair[]): void {
  if (fields.length === 0 || isHeadSent(res)) return;
  const head = headOf(res);
  head.appended = [...head.appended, ...fields];
}

/**
 * Records the status that the head is written with, from now on. Returns a function that reads it; a status set after
 * the head was written never reached the client.
 */
export function watchStatus(res: ServerResponse): () => number {
  if (!isHeadSent(res)) {
    const head = headOf(res);
    return () => head.status ?? res.statusCode;
  }
  const { statusCode } = res;
  return () => statusCode;
}

/**
 * Returns the head of a response, or creates it: on its request, if that has none and the prototype holds heads,
 * otherwise on the response.
 */
function headOf(res: ServerResponse): Head {
  // Looked up once: on Node 20 every look at a request or response of Express takes a quarter of a microsecond.
  const state = inheritedState(res.req);
  const known = findHead(res, state);
  if (known) return known;
  const head = new Head(res);
  const writeHead = res.writeHead as Holding | undefined;
  // If someone wrapped this response's own, it is unknown whether that leads to the prototype's.
  if (writeHead && !writeHead[holds]) {
    head.writeHead = writeHead;
    (res as Carrier)[headKey] = head;
    res.writeHead = heldWriteHead as ServerResponse["writeHead"];
    return head;
  }
  if (state && !state.head) state.head = head;
  else (res as Carrier)[headKey] = head;
  return head;
}

function release(head: Head, before: readonly HeaderPair[], fields: readonly HeaderPair[]): void {
  const released = [...head.released, ...before].filter(([name]) => !has(fields, name));
  head.released = released;
  head.fields = head.fields.filter(([name]) => !has(released, name));
}

/** Returns all fields of both, the second's if both have one. */
function merged(before: readonly HeaderPair[], fields: readonly HeaderPair[]): HeaderPair[] {
  for (let i = 0; i < before.length; i++) {
    if (has(fields, before[i]![0])) {
      return before.filter(([name]) => !has(fields, name)).concat(fields);
    }
  }
  return before.concat(fields);
}

function has(fields: readonly HeaderPair[], name: string): boolean {
  for (let i = 0; i < fields.length; i++) if (fields[i]![0] === name) return true;
  return false;
}
