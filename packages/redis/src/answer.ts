import { type Charge, StoreError, type Taken } from "@spillway/core";
import type { Operation } from "./operation.ts";
import { shapeOf } from "./script/policy-shape.ts";
import type { Script } from "./script/script.ts";
import { unbundled } from "./script/state-form.ts";

/** Redis's reply to a call: its time, and for each operation what it took, undefined, or why it failed. */
export interface Answer {
  readonly now: number;
  /** Undefined when the call came too late, or too early, and did nothing. */
  readonly outcomes: readonly (Taken | undefined | StoreError)[] | undefined;
}

/** Parses a script's reply to these operations. Throws a `StoreError` if it is malformed. */
export function answerTo(
  operations: readonly Operation[],
  reply: unknown,
  { forms }: Script,
): Answer {
  if (!Array.isArray(reply)) throw new StoreError("Redis answered something that is no list");
  const numbers: readonly unknown[] = reply;
  let at = 0;
  const next = (): number => whole(numbers[at++]);

  function taken(charges: readonly Charge[], now: number): Taken {
    const fits: boolean[] = [];
    const states: number[][] = [];
    for (let i = 0; i < charges.length; i++) {
      const state: number[] = [];
      states.push(state);
      if (forms && !isNumber(numbers[at], -2)) {
        const fit = unbundled(forms[i]!, next(), next, state);
        if (fit === undefined) throw malformed(numbers[at - 1]);
        fits.push(fit);
        continue;
      }
      if (forms) at++;
      const fit = next();
      if (fit !== 0 && fit !== 1) throw malformed(fit);
      fits.push(fit === 1);
      for (let j = shapeOf(charges[i]!.policy, now).reportLength; j > 0; j--) state.push(next());
    }
    return { now, fits, states };
  }

  const now = next();
  if (numbers.length === 1 && operations.length > 0) return { now, outcomes: undefined };
  const outcomes = operations.map((operation) => {
    if (isNumber(numbers[at], -1)) {
      at += 2;
      const why = String(numbers[at - 1]);
      return new StoreError(`Redis could not decide: ${why}`, new Error(why));
    }
    if (operation.type === "take") return taken(operation.charges, now);
    next();
    return undefined;
  });
  if (at !== numbers.length) throw malformed(numbers[at]);
  return { now, outcomes };
}

/** Whether a reply is this number, in whatever type the client returns it. */
function isNumber(value: unknown, number: number): boolean {
  return typeof value === "number" ? value === number : String(value) === String(number);
}

function whole(value: unknown): number {
  const number = typeof value === "number" ? value : wholeOf(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw malformed(value);
}

/** Clients can be configured to reply with strings, big integers or buffers. */
function wholeOf(value: unknown): number {
  if (typeof value === "bigint") return Number(value);
  const text = Buffer.isBuffer(value) ? value.toString() : value;
  return typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

function malformed(value: unknown): StoreError {
  const seen = value instanceof Error ? value.message : String(value).slice(0, 60);
  return new StoreError(`Redis answered ${seen} where a whole number was expected`);
}
