import type { ServerResponse } from "node:http";
import { settled } from "../../awaitable.ts";
import type { Decision } from "../../decision.ts";
import { claim } from "../../decisions/claim.ts";
import type { Decider } from "../../decisions/decider.ts";
import { receiptOf } from "../../decisions/decision-record.ts";
import type { Owners } from "../bill.ts";
import { meant } from "../outcomes.ts";
import type { RequestContext } from "../request-context.ts";
import { whenAnswered } from "./when-answered.ts";

/**
 * Applies `resetOn`, `refund` and `count` to the charges of a request once its response has ended. A key that is reset
 * is not refunded as well; charges settled or given back by hand stay as they are.
 */
export function watchOutcome(
  decider: Decider,
  res: ServerResponse,
  { req }: RequestContext,
  decision: Decision,
  { owners, ceilings }: Owners,
): void {
  const paid = receiptOf(decision)?.charges;
  if (!paid) return;
  whenAnswered(res, (status) => {
    const report = (error: unknown): void => decider.report(error, req);
    const forgotten = meant(owners, ({ resets }) => resets, status, req, report);
    void settled(forgotten, (each) => {
      // The address of an unverified identity is not reset because of what it claims.
      const own = each.map((yes, i) => yes && !ceilings[i]);
      claim(decision, own);
      const keys = paid.filter((_, i) => own[i]);
      if (keys.length > 0) decider.reset(keys, req);
      const refunded = meant(owners, ({ refunds }) => refunds, status, req, report);
      return settled(refunded, (those) => {
        const part = claim(decision, those);
        if (part) decider.give(part, req);
      });
    });
  });
}
