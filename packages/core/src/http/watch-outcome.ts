import type { ServerResponse } from "node:http";
import { settled } from "../awaitable.ts";
import { claim } from "../claim.ts";
import type { Decider } from "../decider.ts";
import { type Decision, receiptOf } from "../decision.ts";
import type { HttpRule } from "./bill.ts";
import type { Call } from "./call.ts";
import { refunded, settle } from "./refund.ts";

/** Does, when an answer is over, what the policies that were paid want done by its outcome. */
export function watchOutcome(
  decider: Decider,
  res: ServerResponse,
  { req }: Call,
  decision: Decision,
  owners: readonly HttpRule[],
): void {
  if (!receiptOf(decision)) return;
  settle(res, (status) => {
    const wanted = refunded(owners, status, req, (error) => decider.report(error, req));
    void settled(wanted, (each) => {
      const part = claim(decision, each);
      if (part) decider.give(part, req);
    });
  });
}
