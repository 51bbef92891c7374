import { namedAfter } from "./header-choice.ts";
import { type HeaderField, policyHole } from "./header-field.ts";
import type { RateStatus } from "./rate-status.ts";

/** The name and value of a header. */
export type HeaderPair = readonly [name: string, value: string];

/**
 * Returns the headers of a response, in order: `statuses` are those of all policies, `binding` the index of the one
 * that single-valued headers describe, `now` the store's milliseconds since the epoch. Without statuses there are no
 * headers.
 */
export type WriteRateHeaders = (
  statuses: readonly RateStatus[],
  binding: number,
  now: number,
) => HeaderPair[];

/** The headers that a limiter writes, and how. */
export interface HeaderWriter {
  readonly fields: readonly HeaderField[];
  readonly write: WriteRateHeaders;
}

/**
 * Compiles fields, of which no two give a name two meanings, into a function that writes them.
 *
 * Seconds are rounded up, amounts down, and both stay within the integers of a structured field. What does not change
 * between responses is written once. Retry-After is not among these headers.
 */
export function headerWriter(fields: readonly HeaderField[]): HeaderWriter {
  const writers = fields.map(writer);
  const write: WriteRateHeaders = (statuses, binding, now) => {
    const bound = statuses[binding] ?? statuses[0];
    if (bound === undefined) return [];
    // Of the usual length: an array that grows gets room for sixteen more.
    const pairs = new Array<HeaderPair>(writers.length);
    let end = 0;
    for (let i = 0; i < writers.length; i++) end = writers[i]!(pairs, end, statuses, bound, now);
    if (end < pairs.length) pairs.length = end;
    return pairs;
  };
  return { fields, write };
}

/** Writes pairs from an index on; returns the next free index. */
type FieldWriter = (
  pairs: HeaderPair[],
  at: number,
  statuses: readonly RateStatus[],
  binding: RateStatus,
  now: number,
) => number;

function writer(field: HeaderField): FieldWriter {
  const { name } = field;
  if (field.of === "constant") return constantWriter(field);
  if (field.of === "binding") {
    let pair: HeaderPair = [name, ""];
    return (pairs, at, _statuses, binding, now) => {
      const value = field.write(binding, now);
      if (value === undefined) return at;
      if (value !== pair[1]) pair = [name, value];
      pairs[at] = pair;
      return at + 1;
    };
  }
  if (name.includes(policyHole)) return namedWriter(field);
  return (pairs, at, statuses, _binding, now) => {
    let list: string | undefined;
    for (const status of toldApart(statuses)) {
      const value = field.write(status, now);
      if (value !== undefined) list = list === undefined ? value : `${list}, ${value}`;
    }
    if (list === undefined) return at;
    pairs[at] = [name, list];
    return at + 1;
  };
}

function namedWriter(field: Extract<HeaderField, { of: "binding" | "each" }>): FieldWriter {
  const names = new Map<string, string>();
  return (pairs, at, statuses, _binding, now) => {
    let end = at;
    for (let i = 0; i < statuses.length; i++) {
      const status = statuses[i]!;
      if (statuses.length > 1 && !speaks(statuses, i)) continue;
      const value = field.write(status, now);
      if (value === undefined) continue;
      let name = names.get(status.policy);
      if (name === undefined) {
        name = namedAfter(status.policy, field.name);
        names.set(status.policy, name);
      }
      pairs[end++] = [name, value];
    }
    return end;
  };
}

function constantWriter(field: Extract<HeaderField, { of: "constant" }>): FieldWriter {
  let pair: HeaderPair = [field.name, ""];
  let written: readonly RateStatus[] = [];
  return (pairs, at, statuses) => {
    if (!samePolicies(statuses, written)) {
      const picked = field.pick?.(statuses) ?? toldApart(statuses);
      pair = [field.name, picked.map((status) => field.write(status)).join(", ")];
      written = [...statuses];
    }
    pairs[at] = pair;
    return at + 1;
  };
}

/**
 * Returns the statuses under distinct names: limiters on one request may have policies of one name, which are numbered.
 */
function toldApart(statuses: readonly RateStatus[]): readonly RateStatus[] {
  if (!haveTwins(statuses)) return statuses;
  const names = new Set(statuses.map(({ policy }) => policy));
  const taken = new Set<string>();
  return statuses.map((status) => {
    let policy = status.policy;
    for (let n = 2; taken.has(policy) || (n > 2 && names.has(policy)); n++) {
      policy = `${status.policy} ${n}`;
    }
    taken.add(policy);
    return policy === status.policy ? status : { ...status, policy };
  });
}

/** Whether two policies have one name; there are few, and mostly they do not. */
function haveTwins(statuses: readonly RateStatus[]): boolean {
  for (let i = 1; i < statuses.length; i++) {
    for (let j = 0; j < i; j++) if (statuses[i]!.policy === statuses[j]!.policy) return true;
  }
  return false;
}

/** Whether to write a status if limiters on one request have policies of its name: only the tightest. */
function speaks(statuses: readonly RateStatus[], at: number): boolean {
  const status = statuses[at]!;
  for (let i = 0; i < statuses.length; i++) {
    const other = statuses[i]!;
    if (i === at || other.policy !== status.policy) continue;
    const order = tightness(other, status);
    if (order > 0 || (order === 0 && i < at)) return false;
  }
  return true;
}

/** Returns more than 0 if the first status is tighter than the second. */
function tightness(one: RateStatus, other: RateStatus): number {
  if (one.allowed !== other.allowed) return one.allowed ? -1 : 1;
  if (one.allowed) return other.remaining - one.remaining;
  return one.retryAfter === other.retryAfter ? 0 : one.retryAfter - other.retryAfter;
}

function samePolicies(some: readonly RateStatus[], others: readonly RateStatus[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((status, at) => {
    const other = others[at]!;
    return (
      status.policy === other.policy &&
      status.limit === other.limit &&
      status.window === other.window
    );
  });
}
