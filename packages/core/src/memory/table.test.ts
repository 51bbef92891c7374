import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markAt } from "./segment.ts";
import {
  addRow,
  createTable,
  findRow,
  type Place,
  removeRow,
  stepHand,
  type Table,
} from "./table.ts";

const width = 3;
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Crowded hashes (few homes, at both ends too, and few segments) and arbitrary ones. */
const crowded = fc.tuple(
  fc.oneof(
    fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1),
    fc.integer({ min: 0, max: 40 }),
  ),
  fc.integer({ min: 0, max: 15 }).map((n) => (n * 256 + 7) >>> 0),
);
const hash = fc.oneof({ weight: 4, arbitrary: crowded }, fc.tuple(word, word));

type Model = Map<string, number>;

describe("createTable", () => {
  it("keeps what a Map keeps, in order, through every mix of adding and removing", () => {
    const act = fc.record({ hash, remove: fc.boolean(), steps: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
        const table = createTable(width);
        const model: Model = new Map();
        acts.forEach(({ hash: [high, low], remove, steps }, i) => {
          set(table, model, high, low, remove ? undefined : i);
          for (let n = 0; n < steps; n++) {
            stepHand(table, n % 3 === 0 ? table.evicting : table.sweeping, anywhere());
          }
        });
        expectSame(table, model);
      }),
      { numRuns: 300 },
    );
  });

  it("grows to many segments and shrinks to none", () => {
    const table = createTable(width);
    const model: Model = new Map();
    const hashes = spread(32_000).map(([high, low]) => [high, (low & 0xffff_ff01) >>> 0] as const);
    for (const [i, [high, low]] of hashes.entries()) set(table, model, high, low, i);
    expectSame(table, model);
    hashes.forEach(([high, low], i) => {
      if (i % 10 > 0) set(table, model, high, low, undefined);
    });
    expectSame(table, model);
    for (const [high, low] of hashes) set(table, model, high, (low & 0xffff_ff01) >>> 0, undefined);
    expectSame(table, model);
    expect(wordsOf(table)).toBe(0);
  });

  it("takes at most two thirds more words than its rows, whatever their number", () => {
    const table = createTable(width);
    const place = anywhere();
    let rows = 0;
    for (const pair of spread(120_000)) {
      const hash = Int32Array.from(pair);
      findRow(table, hash, place);
      addRow(table, hash, 1, place);
      rows++;
      // Below that, the minimum size of the 256 first segments exceeds their rows.
      if (rows % 20_000 === 0) expect(wordsOf(table)).toBeLessThan(rows * width * (5 / 3));
    }
  });

  it("meets every row once in a lap of the hand, also while rows are removed under it", () => {
    const table = createTable(width);
    const model: Model = new Map();
    for (const [i, [high, low]] of spread(5000).entries()) set(table, model, high, low, i);
    const place = anywhere();
    const met: number[] = [];
    for (
      let step = stepHand(table, table.sweeping, place);
      step !== "end";
      step = stepHand(table, table.sweeping, place)
    ) {
      if (step !== "row") continue;
      met.push(place.segment.rows[place.at + 2]!);
      removeRow(table, place);
    }
    expect(table.size).toBe(0);
    expect(met.sort((a, b) => a - b)).toEqual([...model.values()]);
  });

  it("misses no row in a lap of one hand while rows are removed under the other", () => {
    const table = createTable(width);
    for (const [i, [high, low]] of spread(5000).entries()) set(table, new Map(), high, low, i);
    const met = new Set<number>();
    const place = anywhere();
    for (let i = 0; ; i++) {
      const step = stepHand(table, table.evicting, place);
      if (step === "end") break;
      if (step === "row") met.add(place.segment.rows[place.at + 2]!);
      if (i % 5 < 4 && stepHand(table, table.sweeping, place) === "row") removeRow(table, place);
    }
    expect(table.size).toBeLessThan(2000);
    for (let step = stepHand(table, table.sweeping, place); step !== "end"; ) {
      if (step === "row") expect(met.has(place.segment.rows[place.at + 2]!)).toBe(true);
      step = stepHand(table, table.sweeping, place);
    }
  });
});

function anywhere(): Place {
  return { segment: undefined as never, at: 0 };
}

/** Applies the same change to the table and the Map: sets a row's only word, or removes the row. */
function set(table: Table, model: Model, high: number, low: number, value: number | undefined) {
  const sought = Int32Array.of(high, low);
  const place = anywhere();
  const name = `${high} ${low >>> 0}`;
  const found = findRow(table, sought, place);
  const kept = found ? place.segment.rows[place.at + 2] : undefined;
  if (kept !== model.get(name)) expect.fail(`${name}: ${kept}, and not ${model.get(name)}`);
  if (value === undefined) {
    if (found) removeRow(table, place);
    model.delete(name);
    return;
  }
  if (!found) addRow(table, sought, 1 + (value % 255), place);
  place.segment.rows[place.at + 2] = value;
  model.set(name, value);
}

/** Compares a lap over the table with the Map, and checks the invariants of every segment. */
function expectSame(table: Table, model: Model): void {
  expect(table.size).toBe(model.size);
  const place = anywhere();
  while (stepHand(table, table.sweeping, place) !== "end");
  const values: number[] = [];
  for (
    let step = stepHand(table, table.sweeping, place);
    step !== "end";
    step = stepHand(table, table.sweeping, place)
  ) {
    if (step === "gap") continue;
    const { segment, at } = place;
    const { rows, heads, homes } = segment;
    const home = Math.floor((((heads[at]! + 2 ** 31) >>> 15) * homes) / 2 ** 17) * width;
    if (home > at) expect.fail(`a row left of its home ${home}, at ${at}`);
    for (let i = home; i < at; i += width) {
      if (markAt(rows, i) === 0) expect.fail(`an empty row at ${i}, between ${home} and ${at}`);
      if (heads[i]! > heads[at]!) expect.fail(`rows out of order, at ${i} and ${at}`);
    }
    values.push(rows[at + 2]!);
  }
  const byValue = (a: number, b: number): number => a - b;
  expect(values.sort(byValue)).toEqual([...model.values()].sort(byValue));
}

function wordsOf(table: Table): number {
  const place = anywhere();
  while (stepHand(table, table.sweeping, place) !== "end");
  const segments = new Set<Place["segment"]>();
  for (
    let step = stepHand(table, table.sweeping, place);
    step !== "end";
    step = stepHand(table, table.sweeping, place)
  ) {
    if (step === "row") segments.add(place.segment);
  }
  return [...segments].reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Returns well distributed pairs of words, the same in every run. */
function spread(count: number): [number, number][] {
  const next = (i: number): number => {
    let x = Math.imul(i + 1, 0x9e3779b1);
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    return (Math.imul(x ^ (x >>> 13), 0xc2b2ae35) ^ (x >>> 16)) >>> 0;
  };
  return Array.from({ length: count }, (_, i) => [next(2 * i), next(2 * i + 1)]);
}
