import { type Awaitable, settled } from "../awaitable.ts";
import { type Decision, isDenial, isOutage } from "../decision.ts";
import { challenged } from "./action.ts";
import type { Owners } from "./bill.ts";
import { addStatuses, bindingOf } from "./client-statuses.ts";
import { exposing } from "./headers/exposed-headers.ts";
import { joinedHeaders } from "./headers/joined-headers.ts";
import type { HeaderPair, HeaderWriter } from "./headers/rate-headers.ts";
import type { Plan } from "./plan.ts";
import type { RequestContext } from "./request-context.ts";
import type { RequestState } from "./request-state.ts";
import { appendFields, holdFields } from "./response/held-fields.ts";
import { hold } from "./response/hold.ts";
import { refuse } from "./response/refusal.ts";
import { watchOutcome } from "./response/watch-outcome.ts";
import { Gone, Pass, type Verdict } from "./verdict.ts";

/** Turns the decision on a request into its verdict, and holds the headers of its response. */
export function verdictOn(
  plan: Plan,
  context: RequestContext,
  decision: Decision,
  bill: Owners,
): Awaitable<Verdict> {
  const { decider, exposed } = plan;
  const { res, framework } = context;
  const state = context.state();
  const before = state.fields;
  const fields = plan.headers ? told(state, plan.headers, decision, bill.ceilings) : none;
  if (res && fields.length > 0) holdFields(res, fields, framework, before);
  if (exposed && res && (fields.length > 0 || !decision.allowed)) {
    appendFields(res, state.headers === plan.headers ? exposed : exposing(namesIn(fields)));
  }
  if (!decision.allowed) return refused(plan, context, decision, bill.owners, fields);
  if (plan.hasOutcomes && res) watchOutcome(decider, res, context, decision, bill);
  if (decision.delay === 0 || !res) return new Pass(decision, fields);
  return hold(res, decision.delay).then((stayed) =>
    stayed ? new Pass(decision, fields) : new Gone(decision),
  );
}

const none: readonly HeaderPair[] = Object.freeze([]);

/** Returns the fields that describe all limiters up to this one, in the headers of each of them. */
function told(
  state: RequestState,
  own: HeaderWriter,
  decision: Decision,
  ceilings: Owners["ceilings"],
): readonly HeaderPair[] {
  if (decision.statuses.length === 0) return none;
  const { length } = state.statuses;
  addStatuses(state, decision.statuses, ceilings);
  // All in shadow mode: a limiter that reports nothing has no say in how others are reported.
  if (state.statuses.length === length) return none;
  const before = state.headers;
  const headers = before === undefined || before === own ? own : joinedHeaders(before, own);
  state.headers = headers;
  const binding = bindingOf(state.statuses, decision);
  state.fields = headers.write(state.statuses, binding, decision.now);
  return state.fields;
}

function namesIn(fields: readonly HeaderPair[]): string[] {
  return [...fields.map(([name]) => name), "Retry-After"];
}

function refused(
  plan: Plan,
  context: RequestContext,
  decision: Decision,
  owners: Owners["owners"],
  fields: readonly HeaderPair[],
): Awaitable<Verdict> {
  const { decider, hasChallenge: answering, refusal, denial } = plan;
  const options = isDenial(decision) ? denial : refusal;
  const outage = isOutage(decision);
  const cause = outage ? decider.causeOf(decision) : undefined;
  const owner = outage ? undefined : owners.find(({ name }) => name === decision.policy);
  const challenge = answering ? owner?.action?.challenge : undefined;
  const blocked = decision.reason === "blocked" ? owner?.blocked : undefined;
  const report = (error: unknown): void => decider.report(error, context.req);
  if (!challenge) return refuse(decision, fields, context, { options, blocked, cause, report });
  return settled(challenged(challenge, decision, context.req), (answer) =>
    refuse(decision, fields, context, { options, blocked, cause, report, answer }),
  );
}
