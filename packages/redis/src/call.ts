import type { Charge, Params, Policy, Taken } from "@spillway/core";
import { StoreError } from "@spillway/core";
import { blankState } from "./blank-state.ts";
import type { KeyNames } from "./key-names.ts";
import { loneScript, type Script, script, twinOf } from "./script.ts";

/** What one request wants of Redis. */
export type Wish =
  | { readonly act: "take"; readonly charges: readonly Charge[]; readonly keep: boolean }
  | {
      readonly act: "give";
      readonly charge: Charge;
      /** When it was taken, and the state that it left. */
      readonly at: number;
      readonly left: readonly number[];
    }
  | { readonly act: "reset"; readonly policy: Policy; readonly key: string };

/** One call of a script. */
export interface Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** What Redis answered: its time, and for each wish what it took, nothing, or why it failed. */
export interface Answer {
  readonly now: number;
  /** Absent where the call came too late and did nothing. */
  readonly outcomes: readonly (Taken | undefined | StoreError)[] | undefined;
}

/**
 * Writes wishes as one call. `now` is about the time on the server; `last` the time there after which
 * the call must do nothing, to the second, 0 for none; with `clock` the time is that one and not the server's. Calls
 * that are not `alone` in their turn run the script for any, so that a server that does not know it keeps their order.
 */
export function callOf(
  wishes: readonly Wish[],
  names: KeyNames,
  now: number,
  last: number,
  clock: number | undefined,
  alone = true,
): Call {
  const until = secondsOf(last);
  const [wish] = wishes;
  if (
    alone &&
    wishes.length === 1 &&
    wish!.act === "take" &&
    wish!.keep &&
    wish!.charges.length === 1
  ) {
    const { policy, key, cost } = wish!.charges[0]!;
    const { text, lone } = shapeOf(policy, now);
    if (lone && cost > 0) {
      return {
        script: lone,
        keys: [names(policy, key)],
        args: argsOf(`${until},${text},${cost}`, clock),
      };
    }
  }
  const keys = new Map<string, number>();
  const policies = new Map<Policy, number>();
  let policyText = "";
  let items = "";

  function keyAt(policy: Policy, key: string): number {
    const name = names(policy, key);
    const at = keys.get(name) ?? keys.size + 1;
    if (at > keys.size) keys.set(name, at);
    return at;
  }

  function policyAt(policy: Policy): number {
    const at = policies.get(policy) ?? policies.size + 1;
    if (at > policies.size) {
      policies.set(policy, at);
      policyText += `${at === 1 ? "" : ","}${shapeOf(policy, now).text}`;
    }
    return at;
  }

  for (const wish of wishes) {
    if (wish.act === "take") {
      let item = wish.keep ? ",[1" : ",[0";
      for (const { policy, key, cost } of wish.charges) {
        item += `,${keyAt(policy, key)},${policyAt(policy)},${cost}`;
      }
      items += `${item}]`;
    } else if (wish.act === "give") {
      const { at, left } = wish;
      const { policy, key, cost } = wish.charge;
      items += `,[2,${keyAt(policy, key)},${policyAt(policy)},${cost},${at},${left.join(",")}]`;
    } else {
      items += `,[3,${keyAt(wish.policy, wish.key)}]`;
    }
  }
  return {
    script,
    keys: [...keys.keys()],
    args: argsOf(`${until},[${policyText}]${items}`, clock),
  };
}

function argsOf(text: string, clock: number | undefined): string[] {
  return clock === undefined ? [text] : [text, String(clock)];
}

function secondsOf(until: number): number {
  return until === 0 ? -1 : Math.ceil(until / 1000);
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

interface Shape {
  readonly params: Params;
  /** The policy as the script reads it. */
  readonly text: string;
  /** How many numbers its reports have. */
  readonly told: number;
  /** Takes a single charge; undefined where the state is a ring. */
  readonly lone: Script | undefined;
}

const shapes = new WeakMap<Policy, Shape>();

function shapeOf(policy: Policy, now: number): Shape {
  const params = policy.params(now);
  const known = shapes.get(policy);
  if (known?.params === params) return known;
  const { algorithm, shadow, countRefused } = policy;
  const blank = blankState(algorithm, params);
  const told = algorithm.report(blank, 0, 0, params).length;
  const twin = twinOf(algorithm.name);
  const lone = algorithm.layout(params).includes("ring") ? undefined : loneScript(twin);
  const code = 4 * twin + (shadow ? 2 : 0) + (countRefused ? 1 : 0);
  const shape = { params, text: `[${[...params, blank.length, code].join(",")}]`, told, lone };
  shapes.set(policy, shape);
  return shape;
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
