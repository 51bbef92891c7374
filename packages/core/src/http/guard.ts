import type { ServerResponse } from "node:http";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { claim } from "../claim.ts";
import { createDecider } from "../decider.ts";
import { type Decision, receiptOf } from "../decision.ts";
import { storeKey } from "../key.ts";
import type { Limiter } from "../limiter.ts";
import { policiesOf } from "../limiter-options.ts";
import { apiKey } from "./api-key.ts";
import { type Bill, billOf, type HttpRule } from "./bill.ts";
import { byHand } from "./by-hand.ts";
import { type Call, callsOf } from "./call.ts";
import { ceilingOf } from "./ceiling.ts";
import { watchConstruction } from "./construction.ts";
import { extractorOf, type KeyOption } from "./extractor.ts";
import { ip, user } from "./extractors.ts";
import type { Framework } from "./framework.ts";
import { exposeFields, holdField } from "./head.ts";
import { hold } from "./hold.ts";
import { checkHttpOptions, type HttpOptions, type HttpPolicyOptions } from "./http-options.ts";
import { bindingOf, ledgerOf, tellCeiling } from "./ledger.ts";
import { exposedHeaderNames, type HeaderPair, rateHeaders } from "./rate-headers.ts";
import { refunded, refundsOf, settle } from "./refund.ts";
import { refuse } from "./refusal.ts";
import type { Verdict } from "./verdict.ts";

/** Turns requests into verdicts, for one limiter in one framework. */
export interface Guard<Req> {
  /**
   * Charges a request, at most once, sets the headers of its answer and says what becomes of it; in place where
   * everything that it asks answers in place. Throws or rejects where a function of the options failed or answered
   * nonsense.
   */
  admit(req: Req): Awaitable<Verdict>;
  /** Tells `onError`, and never throws. */
  report(error: unknown, req: Req): void;
  readonly limiter: Limiter;
}

const whoever: KeyOption<never> = Object.freeze([apiKey(), user(), ip()]);

/** Makes a guard. Throws a `ConfigError` that names each option that does not fit. */
export function createGuard<Req>(framework: Framework<Req>, given: HttpOptions<Req>): Guard<Req> {
  const options = checkHttpOptions(given);
  const decider = createDecider(options);
  const policies = policiesOf<HttpPolicyOptions<Req>>(options);
  const rules = policies.map(
    ([{ key = whoever, refund, unverifiedCeiling }, path], i): HttpRule => {
      const extractor = extractorOf(key, `${path}key`);
      return { ...decider.rules[i]!, extractor, refunds: refundsOf(refund), unverifiedCeiling };
    },
  );
  const { headers = "legacy", reset = "epoch", exposeHeaders = false } = options;
  const styles = headers === false ? [] : [headers].flat();
  const encode = rateHeaders(styles, { reset });
  const exposed = exposedHeaderNames(styles);
  const refunding = rules.some((rule) => rule.refunds);
  const answers = {
    status: options.status ?? 429,
    body: options.body ?? "json",
    throw: options.throw ?? false,
  };
  const callOf = callsOf(
    framework,
    { trustProxy: options.trustProxy ?? "auto", ipv6Prefix: options.ipv6Prefix ?? 64 },
    decider.warn,
  );
  const noteRequest = watchConstruction(options, decider.warn);

  const limiter = byHand(
    decider,
    policies.map(([{ cost }]) => typeof cost === "function"),
  );

  function judge(call: Call, decision: Decision, { owners, ceilings }: Bill): Awaitable<Verdict> {
    const res = framework.response(call.req as Req);
    const ledger = ledgerOf(call.raw);
    for (let i = 0; i < decision.statuses.length; i++) {
      const status = decision.statuses[i]!;
      if (status.shadow) continue;
      if (!ceilings[i]) ledger.statuses.push(status);
      else if (!status.allowed) tellCeiling(ledger.statuses, status);
    }
    const fields: HeaderPair[] =
      decision.statuses.length === 0 || styles.length === 0
        ? []
        : encode(ledger.statuses, bindingOf(ledger.statuses, decision), decision.now);
    if (res && fields.length > 0) {
      for (const [name, value] of fields) holdField(res, name, value);
    }
    if (exposeHeaders && res && (fields.length > 0 || !decision.allowed)) {
      exposeFields(res, exposed);
    }
    if (!decision.allowed) {
      return refuse(decision, fields, res, call.req, answers, decider.causeOf(decision));
    }
    if (refunding && res) watch(res, call, decision, owners);
    if (decision.delay === 0 || !res) return { kind: "pass", decision };
    return hold(res, decision.delay).then((stayed) => ({
      kind: stayed ? "pass" : "gone",
      decision,
    }));
  }

  function watch(
    res: ServerResponse,
    call: Call,
    decision: Decision,
    owners: readonly HttpRule[],
  ): void {
    if (!receiptOf(decision)) return;
    const { req } = call;
    settle(res, (status) => {
      const wanted = refunded(owners, status, req, (error) => decider.report(error, req));
      void settled(wanted, (each) => {
        const part = claim(decision, each);
        if (part) decider.give(part, req);
      });
    });
  }

  function charge(call: Call): Awaitable<Verdict> {
    const { req, raw } = call;
    const bill = billOf(rules, call);
    // Node knows the address of a client that leaves meanwhile only if it was asked for it before.
    if (isPromise(bill)) void raw.socket?.remoteAddress;
    return settled(bill, (whole): Awaitable<Verdict> => {
      if (whole.charges.length === 0) return { kind: "pass", decision: decider.exempt(true, req) };
      return settled(decider.decide(whole.charges, true, req), (decision) =>
        judge(call, decision, whole),
      );
    });
  }

  return {
    admit(req) {
      const call = callOf(req);
      const { charged, verdicts } = ledgerOf(call.raw);
      const known = charged.indexOf(decider);
      if (known >= 0) return again(verdicts[known]);
      const at = charged.push(decider) - 1;
      noteRequest();
      const failed = (error: unknown): never => {
        verdicts[at] = failing(error);
        throw error;
      };
      try {
        const verdict = charge(call);
        // Known once it is settled: what is asked for it must not wait for itself.
        if (isPromise(verdict)) return verdict.then((known) => (verdicts[at] = known), failed);
        verdicts[at] = verdict;
        return verdict;
      } catch (error) {
        return failed(error);
      }
    },

    report: decider.report,

    limiter: {
      ...limiter,
      async reset(key, options) {
        await limiter.reset(key, options);
        const named = storeKey(key);
        for (const rule of rules) {
          if (options?.policy !== undefined && rule.name !== options.policy) continue;
          await decider.store.reset(ceilingOf(rule.policy, undefined), named);
        }
      },
    },
  };
}

/** What becomes of a request that meets its limiter once more: it has paid, and what kept it keeps it still. */
function again(verdict: Awaitable<Verdict> | undefined): Awaitable<Verdict> {
  return settled(verdict, (known) =>
    known === undefined || known.kind === "pass" ? { kind: "pass", decision: undefined } : known,
  );
}

function failing(error: unknown): Promise<never> {
  const failed = Promise.reject(error);
  failed.catch(() => {});
  return failed;
}
