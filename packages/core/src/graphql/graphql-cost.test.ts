import { buildSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { type GraphqlCostOptions, type GraphqlReport, graphqlCost } from "./index.ts";

const most = Number.MAX_SAFE_INTEGER;

/** Returns the cost of a string as the body of a request. */
function costOf(query: string, options: GraphqlCostOptions = {}, variables?: object): number {
  return graphqlCost(options)({ body: { query, variables } }) as number;
}

function explain(query: string, options: GraphqlCostOptions = {}): GraphqlReport {
  return graphqlCost(options).explain({ body: { query } }) as GraphqlReport;
}

/** The example from GitHub's documentation. */
const repositories = `{
  viewer {
    login
    repositories(first: 100) {
      edges { node { id issues(first: 50) {
        edges { node { id labels(first: 60) { edges { node { id name } } } } }
      } } }
    }
  }
}`;

describe("models", () => {
  it.each([
    // 1 + 100 + 5000 = 5101 requests
    ["github", 51],
    // 100 + 5000 + 300 000
    ["nodes", 305_100],
    // viewer and repositories, 100 × (node and issues, 50 × (node and labels, 60 nodes))
    ["complexity", 2 + 100 * (2 + 50 * (2 + 60))],
  ] as const)("count by %s: %i", (model, cost) => {
    expect(costOf(repositories, { model })).toBe(cost);
  });

  it.each([
    ["github", "{ viewer { login } }", 1],
    ["github", "{ a(first: 50) { nodes { b(first: 9) { nodes { id } } } } }", 1],
    ["github", "{ a(first: 149) { nodes { b(first: 9) { nodes { id } } } } }", 2],
    ["nodes", "{ viewer { login } }", 1],
    ["nodes", "{ a(first: 7) { nodes { id } } b(last: 8) { edges { cursor } } }", 15],
    ["complexity", "{ hello }", 1],
    ["complexity", "{ viewer { name } }", 1],
    ["complexity", "{ viewer { name friend { name } } }", 2],
    ["complexity", "{ customers(first: 100) { edges { node { id } } } }", 101],
    ["complexity", "{ customers(first: 100) { nodes { id } } }", 101],
    ["complexity", "{ customers(first: 100) { id name } }", 101],
    ["complexity", "{ customers(first: 100) { id address { city } } }", 201],
    ["complexity", "{ a(first: 9) { totalCount pageInfo { hasNextPage } nodes { id } } }", 11],
  ] as const)("%s: %s costs %i", (model, query, cost) => {
    expect(costOf(query, { model })).toBe(cost);
  });

  it.each([
    [{ scalar: 1 }, "{ a b c { d } }", 1 + 1 + 1 + 1],
    [{ object: 7 }, "{ a b c { d } }", 7],
    [{ object: 3, connection: 5 }, "{ a(first: 4) { id } }", 5 + 4 * 3],
    [{ scalar: 0, object: 0, connection: 0 }, "{ a(first: 4) { id } }", 1],
    [{ mutation: 5 }, "mutation { a b { c } }", 10],
    [{ mutation: 5 }, "{ a b { c } }", 1],
    [{ mutation: 5, fields: { b: 2 } }, "mutation { a b { c } }", 7],
    [{ scalar: 0, object: 0, connection: 0, mutation: 5 }, "mutation { a { c } }", 5],
    [{ model: "github", object: 100 }, "{ a { b { c } } }", 2],
  ] as const)("take costs of one's own: %o", (options, query, cost) => {
    expect(costOf(query, options)).toBe(cost);
  });
});

describe("pages", () => {
  it.each([
    ["none is said", "{ a { nodes { id } } }", {}, 10],
    ["none is said of a list that nobody knows for one", "{ a { id } }", {}, 1],
    ["the value is null", "{ a(first: null) { nodes { id } } }", {}, 10],
    ["the variable is missing", "query ($n: Int) { a(first: $n) { nodes { id } } }", {}, 10],
    [
      "the variable is null",
      "query ($n: Int = 3) { a(first: $n) { nodes { id } } }",
      { n: null },
      10,
    ],
    ["the variable has a default", "query ($n: Int = 3) { a(first: $n) { nodes { id } } }", {}, 3],
    ["the variable has a value", "query ($n: Int = 3) { a(first: $n) { id } }", { n: 7 }, 7],
    ["the variable is not declared", "{ a(first: $n) { id } }", { n: 7 }, 7],
    ["both ends are asked for", "{ a(first: 5, last: 9) { id } }", {}, 9],
    ["none are asked for", "{ a(first: 0) { id } }", {}, 10],
    ["an empty list", "query ($n: Int) { a(first: $n) { id } }", { n: [] }, 1],
    ["less than none are asked for", "{ a(first: -50) { id } }", {}, 50],
    ["it is no number", '{ a(first: "many") { id } }', {}, 10],
    ["it is an object", "{ a(first: { n: 1 }) { id } }", {}, 10],
    ["it is an enum", "{ a(first: ALL) { id } }", {}, 10],
    ["it is true", "{ a(first: true) { id } }", {}, 10],
    ["the variable is no number", "query ($n: Int) { a(first: $n) { id } }", { n: {} }, 10],
    ["it is a number as a string", '{ a(first: "25") { id } }', {}, 25],
    ["it is part of one", "{ a(first: 2.5) { id } }", {}, 3],
    ["it is beyond numbers", "{ a(first: 1e999) { id } }", {}, most],
    ["it is what objects inherit", "query ($toString: Int) { a(first: $toString) { id } }", {}, 10],
  ])("when %s", (_, query, variables, nodes) => {
    expect(costOf(query, { model: "nodes" }, variables)).toBe(nodes);
  });

  it.each([
    [{ defaultPageSize: 25 }, "{ a { edges { cursor } } }", 25],
    [{ maxPageSize: 50 }, "{ a(first: 1000000) { id } }", 50],
    [{ pageArguments: ["limit"] }, "{ a(limit: 30, first: 2) { id } }", 30],
    [{ pageArguments: ["first", "ids"] }, "{ users(ids: [1, 2, 3]) { id } }", 3],
    [{ fields: { roles: { pageSize: 6 } } }, "{ roles { id } }", 6],
    [{ fields: { roles: { pageSize: 6 } } }, "{ roles(first: 2) { id } }", 2],
    [{ fields: { roles: { pageSize: 6 } } }, "{ roles(first: null) { id } }", 6],
  ])("by options: %o", (options, query, nodes) => {
    expect(costOf(query, { model: "nodes", ...options })).toBe(nodes);
  });

  it("reads the length of a list from variables", () => {
    const query = "query ($ids: [ID!]!) { users(ids: $ids) { id } }";
    const options = { model: "nodes", pageArguments: ["ids"] } as const;
    expect(costOf(query, options, { ids: ["a", "b", "c", "d"] })).toBe(4);
  });

  it("stops at the largest whole number", () => {
    const nested = `${"a(first: 2000000000) { ".repeat(9)}id${" }".repeat(9)}`;
    for (const model of ["complexity", "nodes", "github"] as const) {
      expect(costOf(`{ ${nested} }`, { model })).toBe(most);
    }
  });
});

describe("structure", () => {
  const unit = { scalar: 1, object: 1 };
  it.each([
    ["aliases count each", "{ a: me { id } b: me { id } c: me { id } }", 6],
    ["what is asked twice counts once", "{ me { id } me { id name } me: me { name } }", 3],
    [
      "fragments are merged with what stands beside them",
      "{ me { id ...F } } fragment F on U { id name }",
      3,
    ],
    [
      "a fragment spread twice counts once",
      "{ me { ...F ...F } } fragment F on U { id friend { id } }",
      4,
    ],
    [
      "a fragment in two places counts twice",
      "{ a { ...F } b { ...F } } fragment F on U { id name }",
      6,
    ],
    [
      "selections of merged fields are merged",
      "{ me { a { x } ...F } } fragment F on U { a { x y } }",
      4,
    ],
    [
      "inline fragments are part of what is around them",
      "{ me { ... { id } ... on U { id name } } }",
      3,
    ],
    [
      "what stands in types apart adds up",
      "{ me { ... on A { x { id } } ... on B { y { id } } } }",
      5,
    ],
    [
      "what has arguments of its own is apart",
      "{ x: a(first: 1) { id } x: a(first: 2) { id } }",
      8,
    ],
    ["fragments that nobody spreads are free", "{ id } fragment F on U { id friend { id } }", 1],
    ["fragments that nobody wrote are free", "{ id ...G }", 1],
    ["skipped: a field", "{ id name @skip(if: true) }", 1],
    ["skipped: a spread", "{ id ...F @include(if: false) } fragment F on U { name }", 1],
    ["skipped: an inline fragment", "{ id ... @skip(if: true) { name } }", 1],
    ["skipped by a variable", "query ($no: Boolean!) { id name @include(if: $no) }", 1],
    ["skipped by a default", "query ($d: Boolean = false) { id name @include(if: $d) }", 1],
    ["not skipped by a variable", "query ($yes: Boolean!) { id name @include(if: $yes) }", 2],
    ["not skipped by what nobody knows", "query ($u: Boolean!) { id name @skip(if: $u) }", 2],
    ["not skipped by nonsense", '{ id name @skip(if: "true") age @skip }', 3],
    ["of both directives each may skip", "{ id name @include(if: true) @skip(if: true) }", 1],
    ["the type's name is free", "{ me { __typename } }", 1],
    ["the root's nodes by id", "{ node(id: 1) { id } }", 2],
  ])("%s", (_, query, cost) => {
    expect(costOf(query, unit, { yes: true, no: false })).toBe(cost);
  });

  it("costs introspection little, however deep", () => {
    const query = "{ __schema { types { fields { type { ofType { ofType { name } } } } } } }";
    expect(explain(query, { scalar: 1 })).toEqual({
      cost: 1,
      depth: 1,
      aliases: 0,
      exceeds: undefined,
    });
  });

  it("knows depth and aliases", () => {
    const query = "{ a: me { b: name ...F } } fragment F on U { friend { friend { c: name } } }";
    expect(explain(query)).toEqual({ cost: 3, depth: 4, aliases: 3, exceeds: undefined });
  });

  it("is the same twice", () => {
    const cost = graphqlCost({ fields: { me: 3 } });
    const request = { body: { query: "{ me { id } a: me { id } }" } };
    expect([cost(request), cost(request), cost(request)]).toEqual([6, 6, 6]);
  });
});

describe("operations", () => {
  const document = "query One { a { b } } query Two { a { b { c } } } mutation Three { d { e } }";
  const by = (operationName: unknown, options: GraphqlCostOptions = {}): unknown =>
    graphqlCost(options)({ body: { query: document, operationName } });

  it("are chosen by name", () => {
    expect([by("One"), by("Two"), by("Three", { mutation: 9 })]).toEqual([1, 2, 9]);
  });

  it("that are not chosen cost as the dearest, for servers that run any", () => {
    expect([by(undefined), by(null), by(""), by(7)]).toEqual([2, 2, 2, 2]);
  });

  it("that are not there cost what no document does", () => {
    expect([by("Four"), by("Four", { invalid: 3 }), by("toString")]).toEqual([1, 3, 1]);
    expect(by("One", { invalid: 3 })).toBe(1);
  });
});

describe("texts that are no documents", () => {
  it.each([
    "{",
    "}",
    "hello",
    "{ a(",
    '{ a(b: "',
    "query",
    "fragment F on U { id }",
    "type Query { a: Int }",
    "\u0000",
    "{ a } garbage",
    "#",
    " ",
    "🦆",
    "\ud800",
  ])("cost a little: %j", (text) => {
    expect(costOf(text)).toBe(1);
    expect(costOf(text, { invalid: 4 })).toBe(4);
  });
});

describe("limits", () => {
  it.each([
    ["maxDepth", { maxDepth: 2 }, "{ a { b } }", "{ a { b { c } } }"],
    ["maxDepth", { maxDepth: 1 }, "{ a }", "{ a { b } }"],
    ["maxCost", { maxCost: 4 }, "{ a(first: 3) { id } }", "{ a(first: 4) { id } }"],
    ["maxAliases", { maxAliases: 2 }, "{ x: a y: a }", "{ x: a y: a z: a }"],
    ["maxAliases", { maxAliases: 0 }, "{ a }", "{ x: a }"],
    ["maxTokens", { maxTokens: 4 }, "{ a b }", "{ a b c }"],
  ] as const)("%s: %o", (name, options, within, beyond) => {
    expect(explain(within, options).exceeds).toBe(undefined);
    expect(costOf(within, options)).toBeLessThan(10);
    expect(explain(beyond, options).exceeds).toBe(name);
    expect(costOf(beyond, options)).toBe(most);
  });

  it("tells what a request costs that goes beyond maxCost", () => {
    expect(explain("{ a(first: 4) { id } }", { maxCost: 4 })).toEqual({
      cost: 5,
      depth: 2,
      aliases: 0,
      exceeds: "maxCost",
    });
  });

  it("goes 100 levels deep where nothing is said", () => {
    const nested = (levels: number): string => `${"{ a ".repeat(levels)}${"}".repeat(levels)}`;
    expect(explain(nested(100))).toMatchObject({ depth: 100, exceeds: undefined });
    expect(explain(nested(101))).toMatchObject({ exceeds: "maxDepth" });
    expect(explain(nested(500), { maxDepth: 500 })).toMatchObject({ depth: 500, cost: 499 });
  });
});

describe("with a schema", () => {
  const schema = buildSchema(`
    interface Node { id: ID! comments(first: Int = 20, last: Int): CommentConnection }
    type User implements Node {
      id: ID!
      roles: [Role!]!
      tags: [String!]!
      posts(first: Int): [Post!]!
      comments(first: Int = 20, last: Int): CommentConnection
    }
    type Post implements Node { id: ID! title: String comments(first: Int = 20, last: Int): CommentConnection }
    type Role { name: String }
    type CommentConnection { edges: [CommentEdge] nodes: [Comment] items: [Comment] info: Info count: Int }
    type CommentEdge { node: Comment cursor: String }
    type Comment { id: ID! author: User }
    type Info { more: Boolean }
    union Anything = User | Post
    type query_root { me: User node(id: ID!): Node any: Anything search(text: String): [Anything!]! users: [User] }
    type mutation_root { rename(name: String): User }
    schema { query: query_root mutation: mutation_root }
  `);

  it.each([
    ["lists are known", "{ me { roles { name } } }", 1 + (1 + 10)],
    ["lists of scalars are scalars", "{ me { tags } }", 1],
    ["pages without a number", "{ me { posts { title } } }", 1 + (1 + 10)],
    ["defaults of arguments", "{ me { comments { nodes { id } } } }", 1 + (1 + 20)],
    [
      "defaults where null is given",
      "{ me { comments(first: null) { nodes { id } } } }",
      1 + (1 + 20),
    ],
    [
      "the items of a connection by any name",
      "{ me { comments(first: 5) { items { id } } } }",
      1 + (1 + 5),
    ],
    [
      "what a connection has once",
      "{ me { comments(first: 5) { info { more } count } } }",
      1 + (1 + 5 + 1),
    ],
    [
      "edges",
      "{ me { comments(first: 5) { edges { cursor node { author { id } } } } } }",
      1 + (1 + 5 * 2),
    ],
    ["lists in lists", "{ users { roles { name } } }", 1 + 10 * (1 + 1 + 10)],
    ["lists of unions", "{ search { ... on User { roles { name } } } }", 1 + 10 * (1 + 1 + 10)],
    ["fields that it does not have", "{ nope(first: 3) { nodes { id } } }", 1 + 3],
  ])("%s", (_, query, cost) => {
    expect(costOf(query, { schema })).toBe(cost);
  });

  it("finds the root whatever it is called, and by fragments on it", () => {
    const options = { schema, fields: { "query_root.me": 9 }, mutation: 5 };
    expect(costOf("{ me { id } }", options)).toBe(9);
    expect(costOf("{ ...F } fragment F on query_root { me { id } }", options)).toBe(9);
    expect(costOf("{ ... { me { id } } }", options)).toBe(9);
    expect(costOf("mutation { rename { id } }", options)).toBe(5);
  });

  it.each([
    [{ "User.comments": 50 }, "{ me { comments(first: 1) { info { more } } } }", 50],
    [{ "User.comments": 50 }, '{ node(id: "1") { comments(first: 1) { info { more } } } }', 50],
    [{ "User.comments": 50, comments: 70 }, "{ me { comments(first: 1) { info { more } } } }", 50],
    [
      { "User.comments": 50, comments: 70 },
      '{ node(id: "1") { comments(first: 1) { info { more } } } }',
      70,
    ],
    [{ "Node.comments": 40 }, "{ me { comments(first: 1) { info { more } } } }", 40],
    [{ "Node.comments": 40 }, '{ node(id: "1") { comments(first: 1) { info { more } } } }', 40],
    [{ "Post.comments": 50 }, "{ me { comments(first: 1) { info { more } } } }", 1],
  ])("costs %o by type, and by what an interface may turn out to be", (fields, query, cost) => {
    expect(costOf(query, { schema, object: 0, fields })).toBe(cost);
  });
});
