import { IncomingMessage, ServerResponse } from "node:http";
import { holdHeadsOf, latestDecision } from "@spillway/core/http";
import { misplacedCall } from "./misplaced.ts";

/** The prototypes of the latest request and its response. */
let request: object | null = null;
let response: object | null = null;

/**
 * Extends Express's prototypes of all requests and responses, which it documents for this use, to expose
 * `req.rateLimit` and to write held heads. Express gives every request and response its own hidden class, so adding a
 * property to one costs more than the whole decision. No effect if others extended them first, or on a router without
 * an application. Returns an error if these are not a request and a response.
 */
export function extendPrototypes(req: IncomingMessage, res: ServerResponse): Error | undefined {
  const known =
    req && Object.getPrototypeOf(req) === request && res && Object.getPrototypeOf(res) === response;
  if (known) return undefined;
  const error = misplacedCall(req, res);
  if (error) return error;
  request = Object.getPrototypeOf(req) as object | null;
  response = Object.getPrototypeOf(res) as object | null;
  const ofResponses = below(response, ServerResponse.prototype);
  if (ofResponses && Object.hasOwn(ofResponses, "sendStatus")) holdHeadsOf(ofResponses);
  showDecisions(request);
  return undefined;
}

/** Makes Express's prototype of all requests expose each one's decision, if the given prototype inherits from it. */
export function showDecisions(prototype: object | null): void {
  const ofRequests = below(prototype, IncomingMessage.prototype);
  if (!ofRequests || !Object.hasOwn(ofRequests, "acceptsCharsets")) return;
  if (!("rateLimit" in ofRequests)) Reflect.defineProperty(ofRequests, "rateLimit", shown);
}

const shown: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  get(this: IncomingMessage) {
    return latestDecision(this);
  },
  /** Behaves as if there were no accessor: assigning, even on an application's prototype, creates an own property. */
  set(this: object, value: unknown) {
    const own = { value, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(this, "rateLimit", own);
  },
};

/** Returns the prototype that inherits directly from Node's own; undefined when there is none. */
function below(prototype: object | null, nodes: object): object | undefined {
  let found: object | undefined;
  let next = prototype;
  while (next && next !== nodes) {
    found = next;
    next = Object.getPrototypeOf(next) as object | null;
  }
  return next === null ? undefined : found;
}
