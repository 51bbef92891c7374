import { buildSchema } from "graphql";
import { expect, it } from "vitest";
import { type GraphqlCostOptions, graphqlCost } from "./index.ts";

const schema = buildSchema("type Query { me: User } type User { id: ID }");

it.each([
  [{ modl: "github" }, "modl: expected a known option (did you mean model?)"],
  [
    { model: "shopify" },
    'model: expected one of "complexity", "nodes", "github", received "shopify"',
  ],
  [{ scalar: 0.5 }, "scalar: expected a whole number from 0 to 2^53 - 1, received 0.5"],
  [{ mutation: -1 }, "mutation: expected a whole number"],
  [{ object: Number.NaN }, "object: expected a whole number"],
  [{ defaultPageSize: 0 }, "defaultPageSize: expected a whole number of at least 1"],
  [{ maxPageSize: 0 }, "maxPageSize: expected a whole number of at least 1"],
  [{ pageArguments: ["first of all"] }, "pageArguments[0]: expected the name of an argument"],
  [{ pageArguments: "first" }, "pageArguments: expected"],
  [{ schema: {} }, "schema: expected a GraphQLSchema"],
  [{ schema: null }, "schema: expected a GraphQLSchema"],
  [{ maxDepth: 501 }, "maxDepth: expected a whole number from 1 to 500"],
  [{ maxDepth: 0 }, "maxDepth: expected"],
  [{ maxCost: 0 }, "maxCost: expected"],
  [{ maxAliases: -1 }, "maxAliases: expected"],
  [{ maxTokens: Number.POSITIVE_INFINITY }, "maxTokens: expected"],
  [{ invalid: 0 }, "invalid: expected a whole number of at least 1"],
  [{ unknown: 0 }, "unknown: expected a whole number of at least 1, or a function"],
  [{ from: "body" }, "from: expected a function"],
  [
    { fields: { search: -1 } },
    "fields.search: expected a whole number from 0, or { cost, pageSize }",
  ],
  [{ fields: { search: { price: 1 } } }, "fields.search: expected"],
  [{ fields: { search: { pageSize: 0 } } }, "fields.search: expected"],
  [{ fields: { "Query.search": 5 } }, "the name of a field alone where no schema is given"],
  [{ fields: { "a b": 5 } }, "fields.a b: expected the name of a field"],
  [{ fields: { "A.b.c": 5 } }, "fields.A.b.c: expected the name of a field"],
  [{ fields: { "": 5 } }, "expected the name of a field"],
  [
    { schema, fields: { serach: 5 } },
    "fields.serach: expected the name of a field that the schema has",
  ],
  [{ schema, fields: { "Usr.id": 5 } }, "fields.Usr.id: expected a type of the schema"],
  [{ schema, fields: { "User.name": 5 } }, "fields.User.name: expected a type of the schema"],
  [{ schema, fields: { toString: 5 } }, "fields.toString: expected the name of a field"],
])("%o does not fit", (options, message) => {
  expect(() => graphqlCost(options as GraphqlCostOptions)).toThrow(message);
  expect(() => graphqlCost(options as GraphqlCostOptions)).toThrow(
    expect.objectContaining({ code: "ERR_INVALID_CONFIG" }),
  );
});

it.each<GraphqlCostOptions>([
  {},
  { model: undefined, fields: {} },
  { schema, fields: { me: 5, id: { cost: 0, pageSize: 3 }, "User.id": 5 } },
  { fields: { constructor: 5, __proto__: 3 } },
  { maxAliases: 0, maxDepth: 500, unknown: () => 3, pageArguments: [] },
])("%o fits", (options) => {
  expect(graphqlCost(options)({ body: { query: "{ a }" } })).toBe(1);
});

it("cannot be changed behind its back", () => {
  const fields: Record<string, number> = { a: 5 };
  const cost = graphqlCost({ fields });
  fields.a = 50;
  expect(cost({ body: { query: "{ a }" } })).toBe(5);
});
