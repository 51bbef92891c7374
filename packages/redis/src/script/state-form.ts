import type { Algorithm } from "@spillway/core";

/** The algorithm that decides on states of a policy, and their usual widths. */
export interface StateForm {
  /** Unique among forms. */
  readonly name: string;
  /** The index of its twin in the script, from 1. */
  readonly place: number;
  readonly twin: Algorithm["lua"];
  /** How many bytes each number of a state usually takes. */
  readonly widths: readonly number[];
  /**
   * How the answer to a charge is bundled into few numbers: whether it fits, and the numbers of its state, as many in
   * one as stay below 2^52, which every client reads exactly. For each bundle the factors of its numbers, the least
   * significant first.
   */
  readonly bundles: readonly (readonly number[])[];
}

/** The most bits of a number that every client reads exactly. */
const exactBits = 52;

/** Creates a form. */
export function stateForm(
  place: number,
  twin: StateForm["twin"],
  widths: readonly number[],
): StateForm {
  const bundles: number[][] = [[]];
  let bits = 0;
  for (const own of [1, ...widths.map((width) => Math.min(8 * width, exactBits))]) {
    if (bits + own > exactBits) {
      bundles.push([]);
      bits = 0;
    }
    bundles.at(-1)!.push(2 ** own);
    bits += own;
  }
  return { name: `${place}:${widths.join("")}`, place, twin, widths, bundles };
}

/** Writes the bundles as Lua expressions of `fits`, 0 or 1, and of the named numbers. */
export function bundled(
  { bundles }: StateForm,
  fits: string,
  numbers: readonly string[],
): string[] {
  const names = [fits, ...numbers];
  let next = 0;
  return bundles.map((factors) => {
    let factor = 1;
    const terms = factors.map((own) => {
      const term = `${names[next++]}${factor === 1 ? "" : ` * ${factor}`}`;
      factor *= own;
      return term;
    });
    return terms.join(" + ");
  });
}

/**
 * Reads bundles, the first of which is given. Appends the numbers of the state to `state` and returns whether the
 * charge fits; undefined if the bundles are invalid.
 */
export function unbundled(
  { bundles }: StateForm,
  first: number,
  next: () => number,
  state: number[],
): boolean | undefined {
  let fits: number | undefined;
  for (let b = 0; b < bundles.length; b++) {
    const factors = bundles[b]!;
    let rest = b === 0 ? first : next();
    for (let i = 0; i < factors.length; i++) {
      const above = Math.floor(rest / factors[i]!);
      const own = rest - above * factors[i]!;
      if (fits === undefined) fits = own;
      else state.push(own);
      rest = above;
    }
    if (rest !== 0) return undefined;
  }
  return fits === 1;
}
