/** What a request carries from one limiter to the next: one property of it, whatever there is to carry. */
export class Carried {
  declare ledger: object | undefined;
  /** The heads that are held, of the request's responses. */
  declare head: object | undefined;
  /** The latest decision. */
  declare decision: object | undefined;

  constructor() {
    this.ledger = undefined;
    this.head = undefined;
    this.decision = undefined;
  }
}

/** Known across copies of the package, so that two copies do not contradict each other in one answer. */
const key: unique symbol = Symbol.for("spillway.carried");

type Carrier = object & { [key]?: Carried };

/** Finds what a request carries; at first, nothing. A WeakMap would cost more than all the rest of a request. */
export function carriedBy(request: object): Carried {
  const carrier = request as Carrier;
  const known = carrier[key];
  if (known) return known;
  const carried = new Carried();
  carrier[key] = carried;
  return carried;
}

/** Finds what a request carries; undefined where no limiter met it. */
export function carriedIf(request: object): Carried | undefined {
  return (request as Carrier)[key];
}
