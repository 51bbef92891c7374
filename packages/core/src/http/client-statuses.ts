import { binds, type Decision, type PolicyStatus } from "../decision.ts";
import type { RequestState } from "./request-state.ts";

/** Adds what clients may know of a decision: no policies in shadow mode, and ceilings only if they refuse. */
export function addStatuses(
  state: RequestState,
  statuses: readonly PolicyStatus[],
  ceilings: readonly boolean[],
): void {
  if (state.statuses.length === 0 && statuses.length === 1 && !statuses[0]!.shadow) {
    state.statuses = statuses;
    return;
  }
  const told = [...state.statuses];
  for (let i = 0; i < statuses.length; i++) {
    const status = statuses[i]!;
    if (status.shadow) continue;
    if (!ceilings[i]) told.push(status);
    else if (!status.allowed) addCeiling(told, status);
  }
  state.statuses = told;
}

/** Puts a refusing ceiling in the place of its policy, the last status, which has the same name. */
function addCeiling(statuses: PolicyStatus[], ceiling: PolicyStatus): void {
  const policy = statuses[statuses.length - 1]!;
  if (policy.allowed || ceiling.retryAfter > policy.retryAfter) {
    statuses[statuses.length - 1] = ceiling;
  }
}

/** Finds the status that single-valued headers describe: the refusing one with the longest wait, else the tightest. */
export function bindingOf(statuses: readonly PolicyStatus[], { allowed }: Decision): number {
  let best = 0;
  for (let i = 1; i < statuses.length; i++) {
    if (binds(statuses[i]!, statuses[best]!, allowed)) best = i;
  }
  return best;
}
