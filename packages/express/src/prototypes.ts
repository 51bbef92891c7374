import { IncomingMessage, ServerResponse } from "node:http";
import { holdHeadsOf, latestDecision } from "@spillway/core/http";
import { misplacedCall } from "./misplaced.ts";

/** The prototypes of the latest request and its response. */
let request: object | null = null;
let response: object | null = null;

/**
 * Lets Express's own prototypes of all requests and responses, which it documents for such extensions, show
 * `req.rateLimit` and write held heads. Express gives every request and response a hidden class of its own, so that a
 * property added to one of them costs more than the whole decision. Without effect where others came first, and on a
 * router without an application. Answers an error where these are no request and response at all.
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

/** Lets Express's prototype of all requests show the decision on each of them, if a prototype inherits from that. */
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
  /** As if there were no accessor: whoever sets it, on an application's prototype too, has a property of his own. */
  set(this: object, value: unknown) {
    const own = { value, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(this, "rateLimit", own);
  },
};

/** What stands right below Node's own prototype, where something does. */
function below(prototype: object | null, nodes: object): object | undefined {
  let found: object | undefined;
  let next = prototype;
  while (next && next !== nodes) {
    found = next;
    next = Object.getPrototypeOf(next) as object | null;
  }
  return next === null ? undefined : found;
}
