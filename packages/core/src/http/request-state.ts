import type { Awaitable } from "../awaitable.ts";
import type { Decision, PolicyStatus } from "../decision.ts";
import type { LimiterState } from "../decisions/limiter-state.ts";
import { areOne } from "./are-one.ts";
import type { HeaderPair, HeaderWriter } from "./headers/rate-headers.ts";
import type { Asked } from "./identity/asked.ts";
import type { Head } from "./response/head.ts";
import type { Verdict } from "./verdict.ts";

/** What a request carries from one limiter to the next, in one property: everything decided on it so far. */
export class RequestState {
  /** The request it belongs to: a copy of a request carries the original's. */
  declare readonly request: object;
  /** The visit of the limiter that met the request last; undefined if none did. */
  declare latest: LimiterVisit | undefined;
  /** The statuses that clients may know of, in the order of the limiters; replaced on change. */
  declare statuses: readonly PolicyStatus[];
  /** How clients are shown them; undefined until a limiter shows any. */
  declare headers: HeaderWriter | undefined;
  /** The fields written last. */
  declare fields: readonly HeaderPair[];
  declare decision: Decision | undefined;
  /** What is held of its response's head. */
  declare head: Head | undefined;
  /** What functions of the options answered about it; undefined until one is asked. */
  declare asked: Asked | undefined;

  constructor(request: object) {
    this.request = request;
    this.latest = undefined;
    this.statuses = none;
    this.headers = undefined;
    this.fields = noFields;
    this.decision = undefined;
    this.head = undefined;
    this.asked = undefined;
  }
}

const none: readonly PolicyStatus[] = Object.freeze([]);
const noFields: readonly HeaderPair[] = Object.freeze([]);

/** What identifies a limiter: its state. */
type Known = Pick<LimiterState, "store">;

/** A limiter that charged a request; it does so once, however often it is mounted. */
export class LimiterVisit {
  declare readonly limiter: Known;
  declare readonly earlier: LimiterVisit | undefined;
  /** The verdict; undefined while the limiter still decides. */
  declare verdict: Awaitable<Verdict> | undefined;

  constructor(limiter: Known, earlier: LimiterVisit | undefined) {
    this.limiter = limiter;
    this.earlier = earlier;
    this.verdict = undefined;
  }
}

/**
 * Shared by all copies of the package, so that they do not contradict each other in one response. The number is the
 * version of its shape: copies with different ones know nothing of each other.
 */
const key: unique symbol = Symbol.for("spillway.carried/1");

type Carrier = object & { [key]?: RequestState };

/**
 * Returns a request's state, at first an empty one. A copy of a request, or what inherits from it, is another request,
 * which pays for itself; a proxy is the same. A plain property: a WeakMap costs microseconds.
 */
export function requestState(request: object): RequestState {
  const known = (request as Carrier)[key];
  return known !== undefined && known.request === request ? known : begun(request, known);
}

function begun(request: Carrier, known: RequestState | undefined): RequestState {
  if (known !== undefined && areOne(request, known.request)) return known;
  const state = new RequestState(request);
  try {
    request[key] = state;
  } catch {
    // A frozen request, which carries nothing, or a read-only proxy.
  }
  if (!Object.hasOwn(request, key)) putUnder(request, state);
  return state;
}

/** Defines it on the target of a proxy that did not pass it on. */
function putUnder(request: Carrier, value: RequestState): void {
  try {
    Reflect.defineProperty(request, key, { value, writable: true, configurable: true });
  } catch {
    // The proxy lets nothing through.
  }
}

/** Returns the state of a request, or of one that it was copied from or inherits from; never creates one. */
export function inheritedState(request: object | undefined): RequestState | undefined {
  return (request as Carrier | undefined)?.[key];
}

/**
 * Returns the latest decision on a request, or on one that it inherits from; undefined if no limiter met it, even if
 * one met a request that it was copied from.
 */
export function latestDecision(request: object): Decision | undefined {
  const known = inheritedState(request);
  if (known === undefined) return undefined;
  const copied =
    known.request !== request && Object.hasOwn(request, key) && !areOne(request, known.request);
  return copied ? undefined : known.decision;
}

/** Finds the visit of a limiter. */
export function visitOf({ latest }: RequestState, limiter: Known): LimiterVisit | undefined {
  let visit = latest;
  while (visit && visit.limiter !== limiter) visit = visit.earlier;
  return visit;
}

/** Adds the visit of a limiter that has none. */
export function addVisit(state: RequestState, limiter: Known): LimiterVisit {
  const visit = new LimiterVisit(limiter, state.latest);
  state.latest = visit;
  return visit;
}
