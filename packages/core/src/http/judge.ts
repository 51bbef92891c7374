import { type Awaitable, settled } from "../awaitable.ts";
import type { Decision } from "../decision.ts";
import { challenged } from "./action.ts";
import type { Owners } from "./bill.ts";
import type { Call } from "./call.ts";
import { exposeFields, holdFields } from "./held-fields.ts";
import { hold } from "./hold.ts";
import type { Plan } from "./plan.ts";
import type { HeaderPair } from "./rate-headers.ts";
import { refuse } from "./refusal.ts";
import { bindingOf, tellStatuses } from "./told-statuses.ts";
import { Leaving, Passing, type Verdict } from "./verdict.ts";
import { watchOutcome } from "./watch-outcome.ts";

/** Turns the decision on a request into its verdict, and holds the headers of its answer. */
export function judge(
  plan: Plan,
  call: Call,
  decision: Decision,
  { owners, ceilings }: Owners,
): Awaitable<Verdict> {
  const { decider, encode, exposed } = plan;
  const { res, framework } = call;
  const carried = call.carried();
  if (encode) tellStatuses(carried, decision.statuses, ceilings);
  const fields: HeaderPair[] =
    decision.statuses.length === 0 || encode === undefined
      ? []
      : encode(carried.statuses, bindingOf(carried.statuses, decision), decision.now);
  if (res && fields.length > 0) holdFields(res, fields, framework);
  if (exposed && res && (fields.length > 0 || !decision.allowed)) exposeFields(res, exposed);
  if (!decision.allowed) return refused(plan, call, decision, owners, fields);
  if (plan.refunding && res) watchOutcome(decider, res, call, decision, owners);
  if (decision.delay === 0 || !res) return new Passing(decision, fields);
  return hold(res, decision.delay).then((stayed) =>
    stayed ? new Passing(decision, fields) : new Leaving(decision),
  );
}

function refused(
  plan: Plan,
  call: Call,
  decision: Decision,
  owners: Owners["owners"],
  fields: readonly HeaderPair[],
): Awaitable<Verdict> {
  const { decider, answering, refusal, denial } = plan;
  const { policy, reason, statuses } = decision;
  const options = reason === "blocked" && statuses.length === 0 ? denial : refusal;
  const cause = decider.causeOf(decision);
  const challenge =
    answering && reason !== "store-unavailable"
      ? owners.find(({ name }) => name === policy)?.action?.challenge
      : undefined;
  if (!challenge) return refuse(decision, fields, call, options, cause);
  return settled(challenged(challenge, decision, call.req), (answer) =>
    refuse(decision, fields, call, options, cause, answer),
  );
}
