import { IncomingMessage, ServerResponse } from "node:http";
import { carriedBy, holdHeadsOf } from "@spillway/core/http";

/** The prototypes of the latest request and its response, and whether the former shows decisions. */
let request: object | null = null;
let response: object | null = null;
let shows = false;

/**
 * Lets Express's own prototypes of all requests and responses, which it documents for such extensions, show
 * `req.rateLimit` and write held heads. Express gives every request and response a hidden class of its own, so that a
 * property added to one of them costs more than the whole decision. Answers whether the request's shows decisions:
 * that of a router without an application does not.
 */
export function showsDecisions(req: IncomingMessage, res: ServerResponse): boolean {
  if (Object.getPrototypeOf(req) !== request || Object.getPrototypeOf(res) !== response) {
    request = Object.getPrototypeOf(req) as object | null;
    response = Object.getPrototypeOf(res) as object | null;
    const ofResponses = below(response, ServerResponse.prototype);
    if (ofResponses && Object.hasOwn(ofResponses, "sendStatus")) holdHeadsOf(ofResponses);
    shows = showsFrom(below(request, IncomingMessage.prototype));
  }
  return shows;
}

function showsFrom(ofRequests: object | undefined): boolean {
  if (!ofRequests || !Object.hasOwn(ofRequests, "acceptsCharsets")) return false;
  if (!("rateLimit" in ofRequests)) Object.defineProperty(ofRequests, "rateLimit", shown);
  return Object.getOwnPropertyDescriptor(ofRequests, "rateLimit")?.get === shown.get;
}

const shown: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  get(this: IncomingMessage) {
    return carriedBy(this).decision;
  },
  set(this: IncomingMessage, value: object | undefined) {
    carriedBy(this).decision = value;
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
