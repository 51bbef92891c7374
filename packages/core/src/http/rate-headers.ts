import {
  type HeaderField,
  type HeaderMoment,
  type HeaderStyle,
  headerStyles,
  type RateStatus,
} from "./header-style.ts";

/** The name and the value of one header. */
export type HeaderPair = readonly [name: string, value: string];

/** How `rateHeaders` writes what a style leaves open. */
export interface RateHeadersOptions {
  /** Of `X-RateLimit-Reset`: seconds since the epoch, or seconds from now. */
  readonly reset: "epoch" | "delta";
}

/**
 * Writes the headers of an answer, in order: `statuses` of all policies in theirs, `binding` the
 * index of the one that single-valued headers describe, `now` the store's milliseconds since the
 * epoch. Without a status there are no headers.
 */
export type WriteRateHeaders = (
  statuses: readonly RateStatus[],
  binding: number,
  now: number,
) => HeaderPair[];

/**
 * Compiles header styles into a function that writes them.
 *
 * Seconds are rounded up, amounts down, and both stay within the integers of a structured field.
 * What stays the same between answers is written once. Retry-After is not among these headers.
 *
 * @throws {RangeError} with the text of `stylesProblem`, where two styles contradict each other.
 */
export function rateHeaders(
  styles: readonly HeaderStyle[],
  { reset }: RateHeadersOptions,
): WriteRateHeaders {
  const problem = stylesProblem(styles);
  if (problem !== undefined) throw new RangeError(problem);
  const writers = fieldsOf(styles).map(writer);
  return (statuses, binding, now) => {
    const bound = statuses[binding] ?? statuses[0];
    if (bound === undefined) return [];
    const moment = { now, reset };
    return writers.map((write) => write(statuses, bound, moment));
  };
}

/** Says which two styles give one header name two meanings; `undefined` where none do. */
export function stylesProblem(styles: readonly HeaderStyle[]): string | undefined {
  const owners = new Map<string, { readonly style: HeaderStyle; readonly field: HeaderField }>();
  for (const style of styles) {
    for (const field of headerStyles[style]) {
      const owner = owners.get(field.name);
      if (owner !== undefined && owner.field !== field) {
        return `expected styles that can share an answer, received ${owner.style} and ${style}, which give ${field.name} two meanings`;
      }
      owners.set(field.name, { style, field });
    }
  }
  return undefined;
}

/** Lists the headers that a browser's script must be allowed to read, Retry-After last. */
export function exposedHeaderNames(styles: readonly HeaderStyle[]): readonly string[] {
  return [...fieldsOf(styles).map((field) => field.name), "Retry-After"];
}

type FieldWriter = (
  statuses: readonly RateStatus[],
  binding: RateStatus,
  moment: HeaderMoment,
) => HeaderPair;

function fieldsOf(styles: readonly HeaderStyle[]): HeaderField[] {
  return [...new Set(styles.flatMap((style) => headerStyles[style]))];
}

function writer(field: HeaderField): FieldWriter {
  const { name } = field;
  if (field.of === "binding") {
    return (_statuses, binding, moment) => [name, field.write(binding, moment)];
  }
  if (field.of === "each") {
    return (statuses) => [name, statuses.map((status) => field.write(status)).join(", ")];
  }
  let pair: HeaderPair = [name, ""];
  let written: readonly RateStatus[] = [];
  return (statuses) => {
    if (!samePolicies(statuses, written)) {
      const picked = field.pick?.(statuses) ?? statuses;
      pair = [name, picked.map((status) => field.write(status)).join(", ")];
      written = [...statuses];
    }
    return pair;
  };
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
