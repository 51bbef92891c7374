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
 * Sets fields now, and again when the head is written, whatever happens to them in between. Error
 * handlers wipe headers, frameworks merge theirs in at the last moment, gateways copy those of an
 * upstream: so held fields are put back in `writeHead`, through which every head goes. Without
 * effect once the head is written. With `setsFields` they are only held: the adapter sets them.
 * What was held `before` them is let go where they have nothing of its name.
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
 * Keeps fields out of the head, whoever sets them, and removes fields that are set, both by their lower-case names.
 * What is removed and not kept out may be set again.
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

/** Adds to fields that are lists when the head is written, beside what others put there; see `isAppended`. */
export function appendFields(res: ServerResponse, fields: readonly HeaderPair[]): void {
  if (fields.length === 0 || isHeadSent(res)) return;
  const head = headOf(res);
  head.appended = [...head.appended, ...fields];
}

/**
 * Notes the status that the head is written with, from now on. Answers how to read it; what was set after the head
 * was written never reached the client.
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
  const state = inheritedState(res.req);
  if (state && !state.head) state.head = head;
  else (res as Carrier)[headKey] = head;
  return head;
}

function release(head: Head, before: readonly HeaderPair[], fields: readonly HeaderPair[]): void {
  const released = [...head.released, ...before].filter(([name]) => !has(fields, name));
  head.released = released;
  head.fields = head.fields.filter(([name]) => !has(released, name));
}

/** All fields of both, those of the second where both have one. */
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
