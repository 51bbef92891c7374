import { actions } from "./http/actions.ts";
import { addresses } from "./http/addresses.ts";
import { admission } from "./http/admission.ts";
import { amounts } from "./http/amounts.ts";
import type { Serve } from "./http/app.ts";
import { byHand } from "./http/by-hand.ts";
import { exchanges } from "./http/exchanges.ts";
import { fields } from "./http/fields.ts";
import { definer } from "./http/group.ts";
import { holding } from "./http/holding.ts";
import { identity } from "./http/identity.ts";
import { outages } from "./http/outages.ts";
import { refunds } from "./http/refunds.ts";
import { refusals } from "./http/refusals.ts";
import { rules } from "./http/rules.ts";
import { several } from "./http/several.ts";
import { telling } from "./http/telling.ts";
import type { TransportName } from "./http/transport.ts";
import { usages } from "./http/usages.ts";
import type { DefineTest } from "./store-suite.ts";

/** Options of `httpSuite`. */
export interface HttpSuiteOptions {
  /** Default `"memory"`: HTTP within the process, with clients from any address. */
  readonly over?: TransportName;
  /**
   * Whether applications of the framework can configure trusted proxies; if not, `app.trust` is never set. Default
   * true.
   */
  readonly hasTrust?: boolean;
}

/**
 * Defines the tests that an adapter must pass, with the `it` of any test runner: Vitest, node:test, Mocha. `serve`
 * builds an application of the framework from a description and returns its server. The clock stands still in all
 * tests, except for requests that are held some milliseconds.
 */
export function httpSuite(
  it: DefineTest,
  serve: Serve,
  { over = "memory", hasTrust = true }: HttpSuiteOptions = {},
): void {
  const define = definer(it, serve, over);
  admission(define);
  refusals(define);
  fields(define);
  identity(define);
  byHand(define);
  if (over === "memory") addresses(define, hasTrust);
  amounts(define);
  several(define);
  refunds(define);
  holding(define);
  outages(define);
  telling(define);
  rules(define);
  actions(define);
  usages(define);
  exchanges(define);
}
