import type { ServerResponse } from "node:http";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { limiterState } from "../decisions/limiter-state.ts";
import type { Limiter } from "../limiter.ts";
import { admitRequest } from "./admit-request.ts";
import { chargedTwice } from "./charged-twice.ts";
import { watchConstruction } from "./construction.ts";
import type { Framework } from "./framework.ts";
import { checkHttpOptions, type HttpOptions } from "./options/http-options.ts";
import { planning } from "./planning.ts";
import { requestContexts } from "./request-context.ts";
import { addVisit, type LimiterVisit, type RequestState, visitOf } from "./request-state.ts";
import { type Usage, usageOf } from "./usage.ts";
import { Pass, type Verdict } from "./verdict.ts";

/** Turns requests into verdicts, for one limiter in one framework. */
export interface Guard<Req> {
  /**
   * Charges a request, at most once, sets or holds the headers of its answer and says what becomes of it; in place where
   * everything that it asks answers in place. Throws or rejects where a function of the options failed or answered
   * nonsense. The response is the framework's own, unless one is given.
   */
  admit(req: Req, res?: ServerResponse): Awaitable<Verdict>;
  /**
   * Looks up how the client of a request stands with every policy, and charges nothing; undefined where the store could
   * not answer. Throws or rejects where a function of the options does.
   */
  usage(req: Req): Awaitable<Usage | undefined>;
  /** Tells `onError`, and never throws. */
  report(error: unknown, req: Req): void;
  /** Tells `onWarning`, or else the process, once for each code. */
  warn(code: string, message: string): void;
  readonly limiter: Limiter;
}

/** Makes a guard. Throws a `ConfigError` that names each option that does not fit. */
export function createGuard<Req>(framework: Framework<Req>, given: HttpOptions<Req>): Guard<Req> {
  const options = checkHttpOptions(given);
  const limiter = limiterState(options);
  const plans = planning(options as HttpOptions<never>, limiter);
  const report: Guard<Req>["report"] = (error, req) => plans.current.decider.report(error, req);
  const warn = (code: string, message: string): void => plans.current.decider.warn(code, message);
  const { trustProxy = "auto", ipv6Prefix = 64 } = options;
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
        // Known once it is settled: what is asked for it must not wait for itself.
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

/** What becomes of a request that meets its limiter once more: it has paid, and what kept it keeps it still. */
function again(verdict: Awaitable<Verdict> | undefined): Awaitable<Verdict> {
  return settled(verdict, (known) =>
    known === undefined || known.kind === "pass" ? new Pass(undefined) : known,
  );
}

function note(verdict: Verdict, state: RequestState, visit: LimiterVisit): void {
  visit.verdict = verdict;
  state.decision = verdict.decision ?? state.decision;
}

/** A function of its own, so that what it remembers is made only where there is something to wait for. */
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
