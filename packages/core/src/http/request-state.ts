import type { Awaitable } from "../awaitable.ts";
import type { Decision, PolicyStatus } from "../decision.ts";
import type { LimiterState } from "../decisions/limiter-state.ts";
import { areOne } from "./are-one.ts";
import type { HeaderPair, HeaderWriter } from "./headers/rate-headers.ts";
import type { Head } from "./response/head.ts";
import type { Verdict } from "./verdict.ts";

/** What a request carries from one limiter to the next, as one property of it: whatever was decided on it so far. */
export class RequestState {
  /** Whose it is: what was copied from a request carries what is another's. */
  declare readonly request: object;
  /** Of the limiter that met the request last; undefined where none did. */
  declare latest: LimiterVisit | undefined;
  /** What clients are told of, in the order of asking; replaced where it changes. */
  declare statuses: readonly PolicyStatus[];
  /** How they are told of it; undefined as long as no limiter tells anything. */
  declare headers: HeaderWriter | undefined;
  /** What was written of it last. */
  declare fields: readonly HeaderPair[];
  declare decision: Decision | undefined;
  /** What is held of the head of its answer. */
  declare head: Head | undefined;

  constructor(request: object) {
    this.request = request;
    this.latest = undefined;
    this.statuses = none;
    this.headers = undefined;
    this.fields = noFields;
    this.decision = undefined;
    this.head = undefined;
  }
}

const none: readonly PolicyStatus[] = Object.freeze([]);
const noFields: readonly HeaderPair[] = Object.freeze([]);

/** What tells a limiter from others: its state. */
type Known = Pick<LimiterState, "store">;

/** A limiter that charged a request; it does so once, however often it is mounted. */
export class LimiterVisit {
  declare readonly limiter: Known;
  declare readonly earlier: LimiterVisit | undefined;
  /** What became of the request by it; undefined while it is still at it. */
  declare verdict: Awaitable<Verdict> | undefined;

  constructor(limiter: Known, earlier: LimiterVisit | undefined) {
    this.limiter = limiter;
    this.earlier = earlier;
    this.verdict = undefined;
  }
}

/**
 * Known across copies of the package, so that two copies do not contradict each other in one answer. The number is that
 * of its shape: copies in which that differs know nothing of each other.
 */
const key: unique symbol = Symbol.for("spillway.carried/1");

type Carrier = object & { [key]?: RequestState };

/**
 * Finds what a request carries; at first, nothing. What was copied from a request, or inherits from one, is another
 * request, which pays for itself; a proxy is the same. A plain property: a WeakMap costs microseconds.
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
    // A frozen request, which carries nothing, or a proxy that is only to be read.
  }
  if (!Object.hasOwn(request, key)) putUnder(request, state);
  return state;
}

/** Puts it on what is under a proxy that kept it to itself. */
function putUnder(request: Carrier, value: RequestState): void {
  try {
    Reflect.defineProperty(request, key, { value, writable: true, configurable: true });
  } catch {
    // It is a proxy through and through.
  }
}

/** Finds what a request carries, or one that it was copied from or inherits from; begins nothing. */
export function inheritedState(request: object | undefined): RequestState | undefined {
  return (request as Carrier | undefined)?.[key];
}

/**
 * Finds the latest decision on a request, or on one that it inherits from; undefined where no limiter met it, also where
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

/** Enters a limiter that has no visit. */
export function addVisit(state: RequestState, limiter: Known): LimiterVisit {
  const visit = new LimiterVisit(limiter, state.latest);
  state.latest = visit;
  return visit;
}
