import type { ServerResponse } from "node:http";
import type { HeaderPair } from "../headers/rate-headers.ts";

/** What is held of the head of one answer. A class, as all that leads to a request. */
export class Head {
  /** Of whom; another response may come with the same request. */
  declare readonly res: ServerResponse;
  /** What the response writes its head with itself; undefined where its prototype writes what is held. */
  declare writeHead: WriteHead | undefined;
  /** Nobody else may change them. */
  declare fields: readonly HeaderPair[];
  /** What was held, and is no more: kept out where it still has the value that it was held with. */
  declare released: readonly HeaderPair[];
  /** Tells by their lower-case names the fields that are kept out. */
  declare drops: ((name: string) => boolean) | undefined;
  /** What is added to fields that are lists, beside what others put there. */
  declare appended: readonly HeaderPair[];
  /** What went out; undefined before. */
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

/** Node's `writeHead`, which takes headers for its second argument or its third. */
export type WriteHead = (
  this: ServerResponse,
  status: number,
  reason?: unknown,
  given?: unknown,
) => ServerResponse;
