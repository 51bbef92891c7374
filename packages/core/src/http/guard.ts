import type { ServerResponse } from "node:http";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { createDecider } from "../decider.ts";
import { type Decision, receiptOf } from "../decision.ts";
import { storeKey } from "../key.ts";
import type { Limiter } from "../limiter.ts";
import { type LimiterOptions, policiesOf } from "../limiter-options.ts";
import type { Charge } from "../store.ts";
import { apiKey } from "./api-key.ts";
import { byHand } from "./by-hand.ts";
import { addressKey, type Call, callsOf } from "./call.ts";
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
import { refundable, refunded, refundsOf, settle } from "./refund.ts";
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
export function createGuard<Req>(framework: Framework<Req>, options: HttpOptions<Req>): Guard<Req> {
  checkHttpOptions(options);
  const decider = createDecider(options as unknown as LimiterOptions);
  const rules = policiesOf(options as unknown as LimiterOptions).map(([policy, path], i) => {
    const { key = whoever, cost, refund, unverifiedCeiling } = policy as HttpPolicyOptions<never>;
    return {
      ...decider.rules[i]!,
      extractor: extractorOf(key, `${path}key`),
      priced: typeof cost === "function",
      refunds: refundsOf(refund),
      unverifiedCeiling,
    };
  });
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
    rules.map(({ priced }) => priced),
  );

  type HttpRule = (typeof rules)[number];

  /** What a request must pay, and by which rule; ceilings stand behind the charge that they belong to. */
  interface Bill {
    readonly charges: Charge[];
    readonly owners: HttpRule[];
    readonly ceilings: boolean[];
  }

  function billOf(call: Call, bill: Bill, from: number): Awaitable<Bill> {
    for (let i = from; i < rules.length; i++) {
      const added = add(rules[i]!, call, bill);
      if (isPromise(added)) return added.then(() => billOf(call, bill, i + 1));
    }
    return bill;
  }

  function add(rule: HttpRule, call: Call, bill: Bill): Awaitable<void> {
    return settled(rule.skips ? rule.skips(call.req) : false, (skipped) => {
      if (skipped) return;
      return settled(rule.extractor.identify(call), (found) =>
        settled(rule.policyFor(call.req), (policy) =>
          settled(rule.costOf(call.req), (cost) => {
            const key = found?.key ?? addressKey(call.address(), call.ipv6Prefix);
            put(bill, rule, { policy, key: storeKey(key), cost }, false);
            const most = found?.ceiling ?? rule.unverifiedCeiling;
            if (!found || found.verified || most === false) return;
            const payer = addressKey(call.address(), call.ipv6Prefix);
            put(bill, rule, { policy: ceilingOf(policy, most), key: payer, cost }, true);
          }),
        ),
      );
    });
  }

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
    const receipt = receiptOf(decision);
    if (!receipt) return;
    const { req } = call;
    settle(res, (status) => {
      const wanted = refunded(owners, status, req, (error) => decider.report(error, req));
      void settled(wanted, (each) => {
        const part = refundable(receipt, each);
        if (part) decider.give(part, req);
      });
    });
  }

  return {
    admit(req) {
      const call = callOf(req);
      const { charged } = ledgerOf(call.raw);
      if (charged.includes(decider)) return { kind: "pass", decision: undefined };
      charged.push(decider);
      noteRequest();
      const bill = billOf(call, { charges: [], owners: [], ceilings: [] }, 0);
      return settled(bill, (whole): Awaitable<Verdict> => {
        if (whole.charges.length === 0) return { kind: "pass", decision: decider.exempt(req) };
        return settled(decider.decide(whole.charges, true, req), (decision) =>
          judge(call, decision, whole),
        );
      });
    },

    report: decider.report,

    limiter: {
      ...limiter,
      async reset(key, { policy } = {}) {
        await limiter.reset(key, { policy });
        const named = storeKey(key);
        for (const rule of rules) {
          if (policy !== undefined && rule.name !== policy) continue;
          await decider.store.reset(ceilingOf(rule.policy, undefined), named);
        }
      },
    },
  };
}

function put(
  bill: { charges: Charge[]; owners: object[]; ceilings: boolean[] },
  rule: object,
  charge: Charge,
  ceiling: boolean,
): void {
  bill.charges.push(charge);
  bill.owners.push(rule);
  bill.ceilings.push(ceiling);
}
