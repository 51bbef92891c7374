import { type Charge, StoreError, type Taken } from "@spillway/core";
import { shapeOf } from "./policy-shape.ts";
import type { Wish } from "./wish.ts";

/** What Redis answered: its time, and for each wish what it took, nothing, or why it failed. */
export interface Answer {
  readonly now: number;
  /** Absent where the call came too late and did nothing. */
  readonly outcomes: readonly (Taken | undefined | StoreError)[] | undefined;
}

/** Reads what the script answered to these wishes. Throws a `StoreError` where it is no such answer. */
export function answerTo(wishes: readonly Wish[], reply: unknown): Answer {
  if (!Array.isArray(reply)) throw new StoreError("Redis answered something that is no list");
  let at = 0;
  const next = (): number => whole(reply[at++]);

  function taken(charges: readonly Charge[], now: number, first: number): Taken {
    const fits: boolean[] = [];
    const states: number[][] = [];
    charges.forEach(({ policy }, i) => {
      const fit = i === 0 ? first : next();
      if (fit !== 0 && fit !== 1) throw malformed(fit);
      fits.push(fit === 1);
      const state: number[] = [];
      for (let j = shapeOf(policy, now).told; j > 0; j--) state.push(next());
      states.push(state);
    });
    return { now, fits, states };
  }

  const now = next();
  if (reply.length === 1 && wishes.length > 0) return { now, outcomes: undefined };
  const outcomes = wishes.map((wish) => {
    if (String(reply[at]) === "-1") {
      at += 2;
      return new StoreError(`Redis could not decide: ${String(reply[at - 1])}`);
    }
    const first = next();
    return wish.act === "take" ? taken(wish.charges, now, first) : undefined;
  });
  if (at !== reply.length) throw malformed(reply[at]);
  return { now, outcomes };
}

function whole(value: unknown): number {
  const number = typeof value === "number" ? value : wholeOf(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw malformed(value);
}

/** Clients can be told to answer in texts, big integers or buffers. */
function wholeOf(value: unknown): number {
  if (typeof value === "bigint") return Number(value);
  const text = Buffer.isBuffer(value) ? value.toString() : value;
  return typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

function malformed(value: unknown): StoreError {
  const seen = value instanceof Error ? value.message : String(value).slice(0, 60);
  return new StoreError(`Redis answered ${seen} where a whole number was expected`);
}
