/** What a request carries from one limiter to the next, seen by nobody else. */
export interface Carried {
  ledger: object | undefined;
  head: object | undefined;
}

/** Known across copies of the package, so that two copies do not contradict each other in one answer. */
const key: unique symbol = Symbol.for("spillway.carried");

type Carrier = object & { [key]?: Carried };

/**
 * Finds what a request carries; at first, nothing. It hangs on the request's list of raw header fields, an ordinary
 * array of its own: Express gives every request and response a hidden class of its own, and each property that is
 * added to one of those makes a further class among the engine's old objects. A WeakMap would cost more than all the
 * rest of a request. What has no such list, or one that takes nothing on, carries it itself.
 */
export function carriedBy(request: object & { readonly rawHeaders?: unknown }): Carried {
  const { rawHeaders } = request;
  const carrier: Carrier = Array.isArray(rawHeaders) ? rawHeaders : request;
  return carrier[key] ?? begun(carrier, request);
}

function begun(carrier: Carrier, request: Carrier): Carried {
  const carried: Carried = { ledger: undefined, head: undefined };
  // Not to be met by whoever compares or prints the list.
  if (Reflect.defineProperty(carrier, key, { value: carried })) return carried;
  request[key] ??= carried;
  return request[key];
}
