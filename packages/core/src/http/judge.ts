import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isDenial, isOutage } from "../decision.ts";
import { challenged } from "./action.ts";
import type { Owners } from "./bill.ts";
import type { Call } from "./call.ts";
import type { Carried } from "./carried.ts";
import { exposing } from "./headers/exposed-headers.ts";
import { joinedHeaders } from "./headers/joined-headers.ts";
import type { HeaderPair, HeaderWriter } from "./headers/rate-headers.ts";
import type { Plan } from "./plan.ts";
import { appendFields, holdFields } from "./response/held-fields.ts";
import { hold } from "./response/hold.ts";
import { refuse } from "./response/refusal.ts";
import { watchOutcome } from "./response/watch-outcome.ts";
import { bindingOf, tellStatuses } from "./told-statuses.ts";
import { Gone, Pass, type Verdict } from "./verdict.ts";

/** Turns the decision on a request into its verdict, and holds the headers of its answer. */
export function judge(
  plan: Plan,
  call: Call,
  decision: Decision,
  bill: Owners,
): Awaitable<Verdict> {
  const { decider, exposed } = plan;
  const { res, framework } = call;
  const carried = call.carried();
  const before = carried.fields;
  const fields = plan.headers ? told(carried, plan.headers, decision, bill.ceilings) : none;
  if (res && fields.length > 0) holdFields(res, fields, framework, before);
  if (exposed && res && (fields.length > 0 || !decision.allowed)) {
    appendFields(res, carried.headers === plan.headers ? exposed : exposing(namesIn(fields)));
  }
  if (!decision.allowed) return refused(plan, call, decision, bill.owners, fields);
  if (plan.refunding && res) watchOutcome(decider, res, call, decision, bill);
  if (decision.delay === 0 || !res) return new Pass(decision, fields);
  return hold(res, decision.delay).then((stayed) =>
    stayed ? new Pass(decision, fields) : new Gone(decision),
  );
}

const none: readonly HeaderPair[] = Object.freeze([]);

/** Writes what clients are told of all limiters up to this one, in the headers of each of them. */
function told(
  carried: Carried,
  own: HeaderWriter,
  decision: Decision,
  ceilings: Owners["ceilings"],
): readonly HeaderPair[] {
  if (decision.statuses.length === 0) return none;
  const { length } = carried.statuses;
  tellStatuses(carried, decision.statuses, ceilings);
  // All in shadow mode: a limiter that tells of nothing has no say in how others are told of.
  if (carried.statuses.length === length) return none;
  const before = carried.headers;
  const headers = before === undefined || before === own ? own : joinedHeaders(before, own);
  carried.headers = headers;
  const binding = bindingOf(carried.statuses, decision);
  carried.fields = headers.write(carried.statuses, binding, decision.now);
  return carried.fields;
}

function namesIn(fields: readonly HeaderPair[]): string[] {
  return [...fields.map(([name]) => name), "Retry-After"];
}

function refused(
  plan: Plan,
  call: Call,
  decision: Decision,
  owners: Owners["owners"],
  fields: readonly HeaderPair[],
): Awaitable<Verdict> {
  const { decider, answering, refusal, denial } = plan;
  const options = isDenial(decision) ? denial : refusal;
  const outage = isOutage(decision);
  const cause = outage ? decider.causeOf(decision) : undefined;
  const owner = outage ? undefined : owners.find(({ name }) => name === decision.policy);
  const challenge = answering ? owner?.action?.challenge : undefined;
  const blocked = decision.reason === "blocked" ? owner?.blocked : undefined;
  const report = (error: unknown): void => decider.report(error, call.req);
  if (!challenge) return refuse(decision, fields, call, { options, blocked, cause, report });
  return settled(challenged(challenge, decision, call.req), (answer) =>
    refuse(decision, fields, call, { options, blocked, cause, report, answer }),
  );
}
