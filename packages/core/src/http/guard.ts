import type { ServerResponse } from "node:http";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { limiterState } from "../decisions/limiter-state.ts";
import type { Limiter } from "../limiter.ts";
import { admitRequest } from "./admit-request.ts";
import { chargedTwice } from "./charged-twice.ts";
import { watchConstruction } from "./construction.ts";
import type { Framework } from "./framework.ts";
import { defaultIpv6Prefix } from "./identity/prefixes.ts";
import { checkHttpOptions, type HttpOptions } from "./options/http-options.ts";
import { planning } from "./planning.ts";
import { requestContexts } from "./request-context.ts";
import { addVisit, type LimiterVisit, type RequestState, visitOf } from "./request-state.ts";
import { type Usage, usageOf } from "./usage.ts";
import { Pass, type Verdict } from "./verdict.ts";

/** Turns requests into verdicts, for one limiter in one framework. */
export interface Guard<Req> {
  /**
   * Charges a request, at most once, sets or holds its response's headers and returns what happens to it, synchronously
   * if everything it asks is. Throws or rejects if a function of the options fails or returns something invalid. `res`
   * defaults to the framework's own response.
   */
  admit(req: Req, res?: ServerResponse): Awaitable<Verdict>;
  /**
   * Returns the usage of a request's client under every policy, without charging; undefined if the store could not
   * answer. Throws or rejects if a function of the options does.
   */
  usage(req: Req): Awaitable<Usage | undefined>;
  /** Reports to `onError`; never throws. */
  report(error: unknown, req: Req): void;
  /** Reports to `onWarning`, or to the process by default, once for each code. */
  warn(code: string, message: string): void;
  readonly limiter: Limiter;
}

/** Creates a guard. Throws a `ConfigError` that names each invalid option. */
export function createGuard<Req>(framework: Framework<Req>, given: HttpOptions<Req>): Guard<Req> {
  const options = checkHttpOptions(given);
  const limiter = limiterState(options);
  const plans = planning(options as HttpOptions<never>, limiter);
  const report: Guard<Req>["report"] = (error, req) => plans.current.decider.report(error, req);
  const warn = (code: string, message: string): void => plans.current.decider.warn(code, message);
  const { trustProxy = "auto", ipv6Prefix = defaultIpv6Prefix } = options;
  const contextOf = requestContexts(framework, { trustProxy, ipv6Prefix }, warn);
  const noteRequest = watchConstruction({ ...options, source: undefined }, warn);

  function noteVisit(visit: LimiterVisit): void {
    if (limiter.warned.has("SPILLWAY_CHARGED_TWICE")) return;
    const twice = chargedTwice(visit);
    if (twice) warn("SPILLWAY_CHARGED_TWICE", twiceBy(twice.name));
  }

  return {
    admit(req, res) {
      const context = contextOf(req, res);
      const state = context.state();
      const known = visitOf(state, limiter);
      if (known) return again(known.verdict);
      const visit = addVisit(state, limiter);
      noteRequest();
      try {
        const verdict = admitRequest(plans.current, context);
        // Recorded only once settled: what is called for a verdict must not wait for that verdict.
        if (isPromise(verdict)) return noted(verdict, state, visit, noteVisit);
        note(verdict, state, visit);
        if (visit.earlier) noteVisit(visit);
        return verdict;
      } catch (error) {
        visit.verdict = failing(error);
        throw error;
      }
    },

    usage: (req) => usageOf(plans.current, contextOf(req)),
    report,
    warn,
    limiter: plans.limiter,
  };
}

function twiceBy(name: string): string {
  return `Two limiters count one request in the same place: both have a policy ${JSON.stringify(name)} on one store. Mount one limiter in both places, or give their policies names of their own.`;
}

/** Returns the verdict on a request that meets its limiter again: it has paid, and whatever stopped it still does. */
function again(verdict: Awaitable<Verdict> | undefined): Awaitable<Verdict> {
  return settled(verdict, (known) =>
    known === undefined || known.kind === "pass" ? new Pass(undefined) : known,
  );
}

function note(verdict: Verdict, state: RequestState, visit: LimiterVisit): void {
  visit.verdict = verdict;
  state.decision = verdict.decision ?? state.decision;
}

/** A separate function, so that its closures are created only if there is something to wait for. */
function noted(
  verdict: Promise<Verdict>,
  state: RequestState,
  visit: LimiterVisit,
  noteVisit: (visit: LimiterVisit) => void,
): Promise<Verdict> {
  return verdict.then(
    (known) => {
      note(known, state, visit);
      if (visit.earlier) noteVisit(visit);
      return known;
    },
    (error: unknown) => {
      visit.verdict = failing(error);
      throw error;
    },
  );
}

function failing(error: unknown): Promise<never> {
  const failed = Promise.reject(error);
  failed.catch(() => {});
  return failed;
}
