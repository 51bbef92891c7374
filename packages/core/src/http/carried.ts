/** What a request carries from one limiter to the next, seen by nobody else. */
export class Carried {
  declare ledger: object | undefined;
  declare head: object | undefined;
  /** The latest decision. */
  declare decision: object | undefined;

  constructor() {
    this.ledger = undefined;
    this.head = undefined;
    this.decision = undefined;
  }
}

type Request = object & { readonly rawHeaders?: unknown };

/** Gives a class whose constructor puts the class's private fields on an object that is there already. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is all it is for
    return object;
  }
}

class Carrier extends Given {
  readonly #carried = new Carried();

  static of(object: object): Carried | undefined {
    return #carried in object ? object.#carried : undefined;
  }
}

function find(request: Request): Carried {
  const { rawHeaders } = request;
  const listed = Array.isArray(rawHeaders) ? Carrier.of(rawHeaders) : undefined;
  return listed ?? Carrier.of(request) ?? begin(request);
}

function begin(request: Request): Carried {
  const { rawHeaders } = request;
  const apt = Array.isArray(rawHeaders) && Object.isExtensible(rawHeaders);
  const carrier: object = apt ? rawHeaders : request;
  new Carrier(carrier);
  return Carrier.of(carrier)!;
}

const key: unique symbol = Symbol.for("spillway.carried");
const shared = globalThis as { [key]?: typeof find };
shared[key] ??= find;

/**
 * Finds what a request carries; at first, nothing. It hangs on the request's list of raw header fields, an ordinary
 * array of its own, by a private field, which nobody meets who compares or prints the list. Express gives every request
 * and response a hidden class of its own, and each property that is added to one of those makes a further class; a
 * WeakMap would cost as much. Copies of the package share one such function, so that they do not contradict each other
 * in one answer.
 */
export const carriedBy: (request: Request) => Carried = shared[key];
