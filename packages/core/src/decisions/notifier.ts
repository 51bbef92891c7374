import { channel } from "node:diagnostics_channel";
import type { Decision } from "../decision.ts";
import { errorText } from "../errors.ts";
import { callHook } from "../hook.ts";
import type { AnyLimiterOptions, SharedOptions } from "../options/limiter-options.ts";
import { warningOf } from "../warning.ts";
import type { LimiterState } from "./limiter-state.ts";
import { defaultNearLimit, nearIn } from "./near-limit.ts";

/** Reports events to a limiter's hooks and channels; whatever a hook throws or rejects stops here. */
export interface Notifier {
  /** Passes a decision to the hooks and the channel, and returns it. */
  notify(decision: Decision, req: unknown): Decision;
  /** Calls `onError`; never throws. */
  report(error: unknown, req: unknown): void;
  /** Warns once per code. */
  warn(code: string, message: string): void;
}

const decisions = channel("spillway:decision");
const nearLimits = channel("spillway:near-limit");

/** Creates a notifier from validated options. */
export function createNotifier(
  options: AnyLimiterOptions,
  { warned, isFirst }: Pick<LimiterState, "warned" | "isFirst">,
): Notifier {
  const { onDecision, onRefused, onFirstRefused, onNearLimit, onError, onWarning } =
    options as SharedOptions<unknown>;
  const { nearLimit = defaultNearLimit } = options;

  function run(
    hook: ((...args: never[]) => unknown) | undefined,
    first: unknown,
    req: unknown,
    ...more: unknown[]
  ): void {
    if (!hook) return;
    callHook(hook, [first, req, ...more], (error) => {
      if (hook !== onError) report(error, req);
    });
  }

  function report(error: unknown, req: unknown): void {
    if (onError) {
      run(onError, error, req);
      return;
    }
    const text = `${errorText(error)} (reported once; set onError to receive every error)`;
    warn("SPILLWAY_ERROR", text);
  }

  function warn(code: string, message: string): void {
    if (warned.has(code)) return;
    warned.add(code);
    const warning = warningOf(code, message);
    if (onWarning) run(onWarning, warning, undefined);
    else process.emitWarning(warning);
  }

  function notifyNear(decision: Decision, req: unknown): void {
    const status = nearIn(decision, nearLimit);
    if (!status) return;
    if (nearLimits.hasSubscribers) nearLimits.publish({ decision, req, status });
    run(onNearLimit, decision, req, status);
  }

  function notifyRefusal(decision: Decision, req: unknown): void {
    if (onRefused) run(onRefused, decision, req);
    if (onFirstRefused && decision.now > 0 && isFirst(decision)) run(onFirstRefused, decision, req);
  }

  function tell(decision: Decision, req: unknown): Decision {
    if (decisions.hasSubscribers) decisions.publish({ decision, req });
    if (onDecision) run(onDecision, decision, req);
    if (!decision.allowed) notifyRefusal(decision, req);
    else if (onNearLimit || nearLimits.hasSubscribers) notifyNear(decision, req);
    return decision;
  }

  return { notify: tell, report, warn };
}
