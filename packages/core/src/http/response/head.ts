import type { ServerResponse } from "node:http";
import type { HeaderPair } from "../headers/rate-headers.ts";

/** What is held of the head of one response. A class, like all that leads to a request. */
export class Head {
  /** Its response; another may come with the same request. */
  declare readonly res: ServerResponse;
  /** The response's own `writeHead`; undefined if its prototype writes what is held. */
  declare writeHead: WriteHead | undefined;
  /** Fields that nobody else may change. */
  declare fields: readonly HeaderPair[];
  /** Fields no longer held: removed if they still have the value they were held with. */
  declare released: readonly HeaderPair[];
  /** Whether a field, by its lower-case name, is kept out. */
  declare drops: ((name: string) => boolean) | undefined;
  /** Values added to fields that are lists, beside those of others. */
  declare appended: readonly HeaderPair[];
  /** The status that was sent; undefined before. */
  declare status: number | undefined;

  constructor(res: ServerResponse) {
    this.res = res;
    this.writeHead = undefined;
    this.fields = none;
    this.released = none;
    this.drops = undefined;
    this.appended = none;
    this.status = undefined;
  }
}

const none: readonly never[] = Object.freeze([]);

/** Node's `writeHead`, which takes headers as its second or third argument. */
export type WriteHead = (
  this: ServerResponse,
  status: number,
  reason?: unknown,
  given?: unknown,
) => ServerResponse;
