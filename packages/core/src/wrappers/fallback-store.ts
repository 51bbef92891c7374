import { channel } from "node:diagnostics_channel";
import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { checkTaken } from "../check-taken.ts";
import { wholeClock } from "../clock.ts";
import { errorText, StoreError } from "../errors.ts";
import { callHook } from "../hook.ts";
import { memoryStore } from "../memory-store.ts";
import { checkFallbackOptions, type FallbackStoreOptions } from "../options/fallback-options.ts";
import type { Policy } from "../policy.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";
import { warningOf } from "../warning.ts";
import { within } from "../within.ts";
import { breakerOf } from "./breaker.ts";

const transitions = channel("spillway:store");

/**
 * Creates a store that asks the primary and, if that fails, the fallback, whose decisions are marked as degraded. After
 * some failures in a row the primary gets only a single probing request now and then, and answers it if it can. An
 * answer that needed no write, such as a refusal, proves little: a full store gives those too. The hooks and the
 * diagnostics channel `spillway:store` report entering and leaving. Refunds go to the store that took the charge.
 * Throws a `ConfigError` for an invalid option; passes on those of the primary.
 */
export function fallbackStore(primary: Store, options: FallbackStoreOptions = {}): Store {
  const checked = checkFallbackOptions(primary, options);
  const { share = 1, deadline = 1000, failures = 3, retry = 1000, onEnter, onLeave } = checked;
  const clock = wholeClock(checked.clock);
  const fallback = checked.fallback ?? memoryStore();
  const shares = new WeakMap<Policy, Policy>();
  /** The charges that the fallback took, by the state that each left, because a receipt may hold only some of them. */
  const taken = new WeakMap<Taken["states"][number], Charge>();

  /** Whether only probes reach the primary. */
  let left = false;
  /** Time of the first answered probe since the latest failure, while no answer has required a write. */
  let reading: number | undefined;

  const breaker = breakerOf({
    failures,
    retry,
    clock,
    onOpen(error) {
      left = true;
      if (transitions.hasSubscribers) transitions.publish({ type: "enter", store: self, error });
      run(onEnter, error);
    },
    onClose() {
      left = false;
      if (transitions.hasSubscribers) transitions.publish({ type: "leave", store: self });
      run(onLeave);
    },
  });

  function shareOf(policy: Policy): Policy {
    if (share === 1) return policy;
    const known = shares.get(policy) ?? policy.share(share);
    shares.set(policy, known);
    return known;
  }

  function sharedCharge({ policy, key, cost }: Charge): Charge {
    const shared = shareOf(policy);
    // A cost overrun is charged as far as it fits.
    const settles = cost > shared.maxCost && policy.settling() === policy;
    return { policy: shared, key, cost: settles ? shared.maxCost : cost };
  }

  function takeLocally(charges: readonly Charge[], keep: boolean): Taken | Promise<Taken> {
    const shared = share === 1 ? charges : charges.map(sharedCharge);
    const marked = (answer: Taken): Taken => {
      for (const [i, charge] of shared.entries()) taken.set(answer.states[i]!, charge);
      const policies = shared.map(({ policy }, i) => answer.policies?.[i] ?? policy);
      return { ...answer, degraded: true, policies };
    };
    return settled(fallback.take(shared, keep), marked);
  }

  /** Waits for the primary, up to the deadline. */
  function inTime<T>(answer: PromiseLike<T>): Promise<T> {
    const late = (): StoreError => new StoreError(`The store did not answer within ${deadline} ms`);
    return within(answer, deadline, late);
  }

  /**
   * Whether the primary has answered by promise: then a synchronous answer proves nothing about the server behind it.
   */
  let distant = false;

  const self: Store = {
    take(charges, keep) {
      const attempt = breaker.attempt();
      if (!attempt) return takeLocally(charges, keep);
      const probes = left;
      const worked = (answer: Taken): Taken | Promise<Taken> => {
        try {
          checkTaken(charges, answer);
        } catch (error) {
          return failed(error);
        }
        if (!probes || isWritten(charges, keep, answer)) attempt.worked();
        else {
          const now = clock();
          // Also starts anew after a clock has stepped back.
          if (reading === undefined || now < reading) reading = now;
          if (now - reading < retry) attempt.skipped();
          else attempt.worked();
        }
        return answer;
      };
      const failed = (error: unknown): Taken | Promise<Taken> => {
        if (isMistake(error)) {
          attempt.skipped();
          throw error;
        }
        reading = undefined;
        attempt.failed(error);
        return takeLocally(charges, keep);
      };
      let answer: Taken | Promise<Taken>;
      try {
        answer = primary.take(charges, keep);
        if (isPromise(answer)) {
          distant = true;
          return inTime(answer).then(worked, failed);
        }
        // `worked` checks the rest.
        if (distant) checkTaken(charges, answer);
      } catch (error) {
        return failed(error);
      }
      if (!distant) return worked(answer);
      attempt.skipped();
      return answer;
    },

    give(receipt) {
      // One of the two stores decided on the whole request.
      if (!taken.has(receipt.states[0]!)) {
        const given = primary.give(receipt);
        return isPromise(given) ? inTime(given) : given;
      }
      const charges = receipt.states.map((state, i): Charge => {
        // A refund may be less than was taken.
        return { ...taken.get(state)!, cost: receipt.charges[i]!.cost };
      });
      return settled(fallback.give({ ...receipt, charges }), () => {});
    },

    async reset(policy, key) {
      const local = begun(() => fallback.reset(shareOf(policy), key));
      // If the primary fails too, its failure is the one reported.
      local.catch(() => {});
      await inTime(begun(() => primary.reset(policy, key)));
      await local;
    },

    async close() {
      if (checked.fallback === undefined) await fallback.close?.();
    },

    place: primary.place ?? primary,
  };
  return self;
}

/** Whether this answer required a write, and so proves that the store can write. */
function isWritten(charges: readonly Charge[], keep: boolean, { fits }: Taken): boolean {
  return keep && passes(charges, fits) && charges.some(({ cost }, i) => cost > 0 && fits[i]);
}

/** Calls a function; what it throws synchronously becomes a rejection. */
async function begun(act: () => Awaitable<void>): Promise<void> {
  await act();
}

/** Runs a hook; what it throws or rejects must not reach a request and is emitted as a warning. */
function run(hook: ((error: unknown) => unknown) | undefined, error?: unknown): void {
  if (!hook) return;
  callHook(hook, [error], (thrown) => {
    process.emitWarning(warningOf("SPILLWAY_ERROR", errorText(thrown)));
  });
}

/** Whether an error is the programmer's, which another store would only repeat. */
function isMistake(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === "ERR_INVALID_CONFIG";
}
