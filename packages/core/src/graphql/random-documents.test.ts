import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GraphqlCostOptions, graphqlCost } from "./index.ts";

/** A selection as data, so that a field can be added anywhere. */
type Item =
  | { readonly field: string; readonly inner: Item[] | undefined }
  | { readonly spread: number; readonly when: string }
  | { readonly on: string; readonly inline: Item[] };

const name = fc.constantFrom(
  "a",
  "b",
  "edges",
  "nodes",
  "node",
  "pageInfo",
  "totalCount",
  "__typename",
);
const alias = fc.constantFrom("", "", "x: ", "y: ");
const size = fc.constantFrom(
  "",
  "",
  "(first: 3)",
  "(last: 1)",
  "(first: $n)",
  "(first: $u)",
  "(first: 0)",
  "(ids: [1, 2])",
);
const skipping = fc.constantFrom(" @include(if: $no)", " @skip(if: $u)", " @skip(if: true)");
const when = fc.oneof(
  { weight: 15, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: skipping },
);

const { selection } = fc.letrec<{ selection: Item[]; item: Item }>((tie) => ({
  selection: fc.array(tie("item"), { minLength: 1, maxLength: 4 }),
  item: fc.oneof(
    { maxDepth: 5, depthIdentifier: "items" },
    fieldOf(fc.constant(undefined)),
    fieldOf(tie("selection")),
    fieldOf(tie("selection")),
    fc.record({ spread: fc.nat(3), when }),
    fc.record({ on: fc.constantFrom("", "on T "), inline: tie("selection") }),
  ),
}));

function fieldOf(inner: fc.Arbitrary<Item[] | undefined>): fc.Arbitrary<Item> {
  return fc
    .tuple(alias, name, size, when, inner)
    .map(([called, field, args, directive, below]) => ({
      field: called + field + args + directive,
      inner: below,
    }));
}

type Document = [kind: string, root: Item[], fragments: Item[][]];

const operation = fc.constantFrom("query", "mutation");
const documents = fc.tuple(
  operation,
  selection,
  fc.array(selection, { minLength: 2, maxLength: 4 }),
);

const weights = fc.record(
  {
    model: fc.constantFrom("complexity", "nodes", "github"),
    scalar: fc.nat(3),
    object: fc.nat(3),
    connection: fc.nat(120),
    mutation: fc.nat(9),
    defaultPageSize: fc.integer({ min: 1, max: 20 }),
    maxPageSize: fc.integer({ min: 2, max: 5 }),
    fields: fc.constant({ a: 7, nodes: 2, b: { pageSize: 4 } }),
    pageArguments: fc.constant(["first", "ids"]),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<GraphqlCostOptions>;

const limits = fc.record(
  {
    maxDepth: fc.integer({ min: 1, max: 8 }),
    maxAliases: fc.nat(5),
    maxCost: fc.integer({ min: 1, max: 500 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<GraphqlCostOptions>;

const variables = { n: 4, no: false };

function costOf(query: string, options: GraphqlCostOptions): number {
  return graphqlCost(options)({ body: { query, variables } }) as number;
}

/** Writes a document. Unless cycles are wanted, its fragments spread only later ones, some of which do not exist. */
function textOf([kind, root, fragments]: Document, cycles = false): string {
  const written = fragments.map(
    (items, i) => `fragment F${i} on T ${braced(items, cycles ? 0 : i + 1)}`,
  );
  return [`${kind} ($n: Int, $u: Int) ${braced(root, 0)}`, ...written].join(" ");
}

function braced(items: readonly Item[], from: number): string {
  const texts = items.map((item) => {
    if ("spread" in item) return `...F${from + item.spread}${item.when}`;
    if ("inline" in item) return `... ${item.on}${braced(item.inline, from)}`;
    return item.inner ? `${item.field} ${braced(item.inner, from)}` : item.field;
  });
  return `{ ${texts.join(" ")} }`;
}

/** Returns all selections of a document, including nested ones. */
function selectionsIn(items: Item[]): Item[][] {
  const inner = items.flatMap((item) =>
    ("inline" in item ? item.inline : "inner" in item ? item.inner : undefined) ? [item] : [],
  );
  return [
    items,
    ...inner.flatMap((item) =>
      selectionsIn("inline" in item ? item.inline : (item as { inner: Item[] }).inner),
    ),
  ];
}

describe("random documents", () => {
  it("cost a whole number from 1, cycles and all", () => {
    let cycles = 0;
    fc.assert(
      fc.property(documents, weights, limits, (document, costs, most) => {
        const cost = costOf(textOf(document, true), { ...costs, ...most });
        if (cost === Number.MAX_SAFE_INTEGER) cycles++;
        expect(Number.isSafeInteger(cost) && cost >= 1).toBe(true);
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(cycles).toBeGreaterThan(50);
  });

  it("never cost less with a field more", () => {
    let rose = 0;
    fc.assert(
      fc.property(
        documents,
        weights,
        fieldOf(fc.oneof(fc.constant(undefined), selection)),
        fc.nat(),
        (document, options, field, where) => {
          const before = costOf(textOf(document), options);
          // The root counts three times, because a field there surely matters.
          const [, root, fragments] = document;
          const places = [root, ...fragments, root, root].flatMap(selectionsIn);
          places[where % places.length]!.push(field);
          const after = costOf(textOf(document), options);
          if (after > before) rose++;
          expect(after, textOf(document)).toBeGreaterThanOrEqual(before);
        },
      ),
      { numRuns: 600, seed: 2 },
    );
    expect(rose).toBeGreaterThan(150);
  });

  it("cost the same by a fragment as by what it stands for", () => {
    fc.assert(
      fc.property(selection, weights, (items, options) => {
        const inline = costOf(textOf(["query", items, []]), options);
        expect(costOf(textOf(["query", [{ spread: 0, when: "" }], [items]]), options)).toBe(inline);
      }),
      { numRuns: 150, seed: 3 },
    );
  });
});

describe("random texts", () => {
  const token = fc.constantFrom(
    ...'{ } ( ) [ ] ... : $ @ ! = & | a first 1 -2 2.5 1e400 "x" """ # fragment F on query mutation true null skip include if \n \\u{0} \ud83e'.split(
      " ",
    ),
  );
  const texts = fc.oneof(
    fc.array(token, { maxLength: 40 }).map((all) => all.join(" ")),
    fc.array(token, { maxLength: 40 }).map((all) => `{ a(first: 3) { id } } ${all.join(" ")}`),
    fc.string({ unit: "binary", maxLength: 60 }),
  );

  it("cost a whole number from 1", () => {
    fc.assert(
      fc.property(texts, weights, (text, options) => {
        const cost = costOf(text, options);
        expect(Number.isSafeInteger(cost) && cost >= 1).toBe(true);
      }),
      { numRuns: 600, seed: 4 },
    );
  });

  it("cost a whole number from 1 wherever they stand", () => {
    const anything = fc.anything({ withNullPrototype: true });
    const request = fc.record(
      {
        query: fc.oneof(texts, anything),
        operationName: fc.oneof(fc.constant("Q"), anything),
        variables: fc.oneof(fc.constant(variables), anything),
        extensions: anything,
      },
      { requiredKeys: [] },
    );
    const bodies = fc.oneof(request, fc.array(request), anything);
    const urls = fc.webUrl({ withQueryParameters: true });
    const cost = graphqlCost();
    fc.assert(
      fc.property(bodies, urls, (body, url) => {
        const units = cost({ body, url }) as number;
        expect(Number.isSafeInteger(units) && units >= 1).toBe(true);
      }),
      { numRuns: 600, seed: 6 },
    );
  });
});
