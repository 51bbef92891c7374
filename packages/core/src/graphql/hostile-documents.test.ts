import { buildSchema, Lexer, parse } from "graphql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { requestsIn } from "./graphql-request.ts";
import { type GraphqlCostOptions, type GraphqlReport, graphqlCost } from "./index.ts";

const most = Number.MAX_SAFE_INTEGER;

function explain(query: string, options: GraphqlCostOptions = {}): GraphqlReport {
  return graphqlCost(options).explain({ body: { query } }) as GraphqlReport;
}

function parses() {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  return parse;
}

function tokensRead() {
  const advance = vi.spyOn(Lexer.prototype, "advance");
  onTestFinished(() => advance.mockRestore());
  return advance;
}

function times(count: number, text: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(" ");
}

describe("fragments", () => {
  it.each([
    ["of itself", "{ a { ...F } } fragment F on T { a { ...F } }"],
    ["of two", "{ ...F } fragment F on T { a { ...G } } fragment G on T { b { ...F } }"],
    ["of itself twice", "{ ...F } fragment F on T { a { ...F } b { ...F } }"],
    [
      "behind inline fragments",
      "{ ...F } fragment F on T { ... { ... on T { a { ... { ...F } } } } }",
    ],
    [
      "of a hundred",
      `{ ...F0 } ${times(100, (i) => `fragment F${i} on T { a { ...F${(i + 1) % 100} } }`)}`,
    ],
  ])("in a cycle have no end: %s", (_, query) => {
    expect(explain(query)).toMatchObject({ exceeds: "maxDepth", cost: most });
    expect(explain(query, { maxDepth: 500 })).toMatchObject({ exceeds: "maxDepth", cost: most });
  });

  it.each([
    ["of itself", "{ a { ...F } } fragment F on T { b ...F }"],
    ["of two", "{ a { ...F } } fragment F on T { ...G b } fragment G on T { ...F b }"],
  ])("in a cycle without a field end where a server's do: %s", (_, query) => {
    expect(explain(query, { scalar: 1 })).toMatchObject({ exceeds: undefined, cost: 2, depth: 2 });
  });

  it("that double at each step double the cost, without doubling the work", () => {
    const chain = (steps: number): string =>
      `{ ...F0 } ${times(steps, (i) => `fragment F${i} on T { a { ...F${i + 1} } b { ...F${i + 1} } }`)} fragment F${steps} on T { id }`;
    expect(explain(chain(10))).toMatchObject({ cost: 2 ** 11 - 2, depth: 11 });
    expect(explain(chain(40))).toMatchObject({ cost: 2 ** 41 - 2, depth: 41 });
    expect(explain(chain(52)).cost).toBe(2 ** 53 - 2);
    expect(explain(chain(53)).cost).toBe(most);
    expect(explain(chain(300), { maxDepth: 500 })).toMatchObject({ cost: most, depth: 301 });
  });

  it("that spread the next one twice cost it once, as a server answers it once", () => {
    const chain = `{ ...F0 } ${times(300, (i) => `fragment F${i} on T { ...F${i + 1} ...F${i + 1} }`)} fragment F300 on T { a { id } }`;
    expect(explain(chain)).toMatchObject({ cost: 1, depth: 2 });
  });

  it("that merge in ever new sets are given up on, and not admitted", () => {
    // Every combination of x at n places: each merges another set of selections.
    const n = 14;
    const machine = times(
      n,
      (i) => `fragment S${i} on T { x { ...S${i + 1} } y { ...S${i + 1} } }`,
    );
    const query = `{ ...R } fragment R on T { x { ...R0 ...S0 } y { ...R0 } } fragment S${n} on T { id } ${machine} ${times(
      60,
      (i) => `fragment R${i} on T { x { ...R${i + 1} ...S0 } y { ...R${i + 1} } }`,
    )}`;
    expect(explain(query)).toMatchObject({ exceeds: "maxTokens", cost: most });
  });

  it("that are many and unused cost nothing", () => {
    const query = `{ a { id } } ${times(500, (i) => `fragment F${i} on T { a { id } }`)}`;
    expect(explain(query)).toMatchObject({ cost: 1 });
  });
});

describe("depth", () => {
  const nested = (levels: number, open: string): string =>
    `${open.repeat(levels)}{ a }${"}".repeat(levels)}`;

  it.each([
    ["fields", "{ a "],
    ["inline fragments", "{ ... "],
  ])("that parsers cannot follow is not admitted: %s", (_, open) => {
    const options = { maxTokens: 10_000_000 };
    expect(() => parse(nested(200_000, open))).toThrow(RangeError);
    expect(explain(nested(200_000, open), options)).toMatchObject({ cost: most });
    expect(explain(nested(200_000, open), options).exceeds).toBeDefined();
  });

  it("of inline fragments is none", () => {
    expect(explain(nested(500, "{ ... "), { scalar: 1 })).toMatchObject({ cost: 1, depth: 1 });
  });

  it("of values does not matter", () => {
    const value = `${"[".repeat(500)}1${"]".repeat(500)}`;
    expect(explain(`{ a(b: ${value}) { id } }`)).toMatchObject({ cost: 1, depth: 2 });
  });
});

describe("length", () => {
  it.each([
    ["fields", times(20_000, (i) => `a${i}`)],
    ["one field", "a ".repeat(20_000)],
    ["arguments", `a(${times(5_000, (i) => `b${i}: ${i}`)})`],
    ["directives", `a ${"@a ".repeat(10_000)}`],
  ])("of %s counts by tokens", (_, fields) => {
    expect(explain(`{ ${fields} }`)).toMatchObject({ exceeds: "maxTokens", cost: most });
    expect(explain(`{ ${fields} }`, { maxTokens: 50_000 }).exceeds).toBe(undefined);
  });

  it("of what is no document after that many tokens is too long, as servers read on", () => {
    expect(explain(`{ ${"a ".repeat(20_000)}`).exceeds).toBe("maxTokens");
    expect(explain(`{ ${"a ".repeat(2_000)}`).exceeds).toBe(undefined);
  });

  it("of comments and texts does not matter", () => {
    const text = `# ${"x".repeat(100_000)}\n`.repeat(5);
    expect(explain(`${text}{ a(b: "${"y".repeat(100_000)}") { id } }`)).toMatchObject({ cost: 1 });
  });

  it("is that of a batch together", () => {
    const cost = graphqlCost({ maxTokens: 100 });
    const ten = { query: "{ a b c d e f g h }" };
    expect(cost({ body: Array(10).fill(ten) })).toBe(10);
    expect(cost({ body: Array(11).fill(ten) })).toBe(most);
    expect(cost({ body: [...Array(10).fill(ten), {}, {}] })).toBe(12);
  });

  it("of a batch that is no document counts, too", () => {
    const cost = graphqlCost({ maxTokens: 100 });
    expect(cost({ body: Array(100).fill({ query: "{" }) })).toBe(100);
    expect(cost({ body: Array(102).fill({ query: "{" }) })).toBe(most);
  });

  it("of texts that are no documents ends where reading them is too much", () => {
    const cost = graphqlCost();
    const bad = (amount: number) => Array.from({ length: amount }, (_, i) => ({ query: `{ ${i}` }));
    expect(cost({ body: bad(250) })).toBe(250);
    expect(cost({ body: bad(251) })).toBe(most);
    // Documents are not such texts, and pay for more of them.
    const good = Array.from({ length: 400 }, (_, i) => ({ query: `{ a${i} }` }));
    expect(cost({ body: good })).toBe(400);
  });

  it("of a batch ends where its cost is too high", () => {
    let asked = 0;
    const unknown = (): number => {
      asked++;
      return 5;
    };
    const cost = graphqlCost({ maxCost: 12, unknown });
    expect(cost({ body: Array(1000).fill({}) })).toBe(most);
    expect(asked).toBe(3);
  });
});

describe("many operations", () => {
  it("read the variables that they share once", () => {
    const parse = parses();
    const query = times(500, (i) => `query Q${i}($n: Int) { a(first: $n) { id } }`);
    expect(graphqlCost()({ body: { query, variables: '{ "n": 7 }' } })).toBe(8);
    expect(parse).toHaveBeenCalledTimes(1);
  });

  it("that share what they spread do not multiply the work without end", () => {
    const shared = `fragment F on T { ${times(2000, (i) => `a${i}`)} }`;
    const query = `${times(1000, (i) => `query Q${i} { ...F }`)} ${shared}`;
    expect(explain(query)).toMatchObject({ exceeds: "maxTokens", cost: most });
    const named = graphqlCost({ scalar: 1 })({ body: { query, operationName: "Q7" } });
    expect(named).toBe(2000);
  });

  it.each([
    ["arguments", `a(${times(1600, (i) => `b${i}: 1`)})`],
    ["directives", `a ${"@b ".repeat(2500)}`],
    ["arguments of directives", `a @skip(${times(1600, (i) => `b${i}: 1`)})`],
  ])("that share a field of many %s look through them as long as others do", (_, field) => {
    const shared = `fragment F on T { ${field} }`;
    expect(explain(`{ ...F } ${shared}`).exceeds).toBe(undefined);
    const query = `${"{...F}".repeat(1000)} ${shared}`;
    expect(explain(query)).toMatchObject({ exceeds: "maxTokens", cost: most });
  });
});

describe("what a request says once for all of a batch", () => {
  const variables = `{"n":7,"a":[${"[".repeat(3000)}${"]".repeat(3000)}]}`;
  const query = "query ($n: Int) { a(first: $n) { id } }";

  it("is read once: variables in the URL", () => {
    const parse = parses();
    const body = Array(200).fill({ query });
    const cost = graphqlCost({ model: "nodes" })({ url: `/?variables=${variables}`, body });
    expect(cost).toBe(200 * (10 + 7));
    expect(parse).toHaveBeenCalledTimes(1);
  });

  it("is read once: each of the variables that a URL says again and again", () => {
    const parse = parses();
    const url = `/?${Array.from({ length: 50 }, (_, n) => `variables={"n":${n + 1}}`).join("&")}`;
    const body = Array(100).fill({ query });
    expect(graphqlCost({ model: "nodes" })({ url, body })).toBe(100 * (10 + 1 + 50));
    expect(parse).toHaveBeenCalledTimes(2);
  });

  it("is read once: what `unknown` finds for each entry, which counts each time", () => {
    const advance = tokensRead();
    const unknown = (): string => `# ${"x".repeat(1000)}\n{ a }`;
    const cost = graphqlCost({ unknown, maxTokens: 300 });
    expect(cost({ body: Array(100).fill({ id: "a" }) })).toBe(100);
    expect(advance.mock.calls.length).toBeLessThan(10);
    expect(cost({ body: Array(101).fill({ id: "a" }) })).toBe(most);
  });

  it("is read once: what is no document", () => {
    const advance = tokensRead();
    const cost = graphqlCost({ unknown: () => `{ ${"a ".repeat(500)}` });
    expect(cost({ body: Array(100).fill({ id: "a" }) })).toBe(100);
    expect(advance.mock.calls.length).toBeLessThan(1000);
  });

  it("is not kept with each text of a URL", () => {
    const names = times(100, (i) => `&x${i}=`).replaceAll(" ", "");
    expect(requestsIn({ url: `/?query=a&query=b&operationName=O${names}` })).toEqual([
      { query: "a", operationName: "O", variables: undefined },
      { query: "b", operationName: "O", variables: undefined },
    ]);
  });
});

describe("variables that come as a string", () => {
  const text = (length: number, name = "n"): string => `{"${name}":"${"x".repeat(length)}"}`;
  const entry = (variables: string): object => ({ query: "{ a }", variables });

  it("are work by their length, and not read where that is too much", () => {
    const cost = graphqlCost();
    expect(cost({ body: entry(text(300_000)) })).toBe(1);
    const parse = parses();
    expect(cost({ body: entry(text(400_000)) })).toBe(most);
    expect(parse).not.toHaveBeenCalled();
  });

  it("are work together in a batch, where they differ", () => {
    const cost = graphqlCost();
    const names = ["a", "b", "c", "d"];
    expect(cost({ body: names.map((name) => entry(text(100_000, name))) })).toBe(most);
    expect(cost({ body: names.map(() => entry(text(100_000))) })).toBe(4);
  });

  it("do not count where they are values already", () => {
    const body = { query: "{ a }", variables: { n: "x".repeat(1_000_000) } };
    expect(graphqlCost()({ body })).toBe(1);
  });
});

describe("numbers of more digits than numbers have", () => {
  const query = "query ($n: Int) { a(first: $n) { id } }";
  const sized = (digits: string): unknown => [
    graphqlCost({ model: "nodes" })({ body: { query, variables: { n: digits } } }),
    graphqlCost({ model: "nodes" })({ body: { query: `{ a(first: "${digits}") { id } }` } }),
  ];

  it("are not read to their end by each field that takes them, and count as the largest", () => {
    expect(sized(`${"0".repeat(399)}5`)).toEqual([5, 5]);
    expect(sized(`${"0".repeat(400)}5`)).toEqual([most, most]);
    expect(sized(`${"9".repeat(100_000)}x`)).toEqual([most, most]);
    expect(sized(`${"9".repeat(399)}x`)).toEqual([10, 10]);
    expect(sized(`12${"x".repeat(100_000)}`)).toEqual([10, 10]);
    const literal = (number: string) => explain(`{ a(first: ${number}) { id } }`).cost;
    expect([literal("9".repeat(100_000)), literal(`0.${"0".repeat(400)}1`)]).toEqual([most, most]);
  });
});

describe("names", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

  it("of what all objects have are names like others, or introspection", () => {
    const schema = buildSchema("type Query { me: Query }");
    const asked = times(names.length, (i) => `${names[i]}: ${names[i]} { ...${names[i]} }`);
    const query = `query ($__proto__: Int) { ${asked} __proto__(first: $__proto__) { id } } fragment constructor on constructor { id }`;
    for (const options of [{}, { schema }, { fields: { me: 3 } }]) {
      expect(explain(query, options)).toMatchObject({ cost: 4 + 1 + 1, depth: 2 });
    }
  });
});
