/** What a request carries from one limiter to the next: one property of it, whatever there is to carry. */
export class Carried {
  declare ledger: object | undefined;
  /** The latest decision. */
  declare decision: object | undefined;

  constructor() {
    this.ledger = undefined;
    this.decision = undefined;
  }
}

/** Known across copies of the package, so that two copies do not contradict each other in one answer. */
const key: unique symbol = Symbol.for("spillway.carried");

type Carrier = object & { [key]?: Carried };

/**
 * Finds what a request carries; at first, nothing. What was copied from a request, or inherits from one, is another
 * request, which pays for itself; a proxy is the same. A WeakMap would cost more than all the rest of a request.
 */
export function carriedBy(request: object): Carried {
  const carrier = request as Carrier;
  const known = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
  if (known) return known;
  const carried = new Carried();
  // Not enumerable, so that copies lack it.
  Reflect.defineProperty(carrier, key, { value: carried });
  return carried;
}

/** Finds the latest decision on a request, or on one that it inherits from; undefined where no limiter met it. */
export function latestDecision(request: object): object | undefined {
  return (request as Carrier)[key]?.decision;
}
