import { graphqlCost } from "@spillway/core/graphql";
import { buildSchema, graphql } from "graphql";

const schema = buildSchema(`
  type Query { books(first: Int!): [Book!]! }
  type Book { title: String!, authors(first: Int!): [Author!]! }
  type Author { name: String!, books(first: Int!): [Book!]! }
`);

/** What a query costs, before any of it is executed. */
export const pointsOf = graphqlCost({ schema, maxDepth: 6, maxCost: 400 });

/** @param {import("express").Request} req @param {import("express").Response} res */
export async function answerQuery(req, res) {
  const { query, variables } = req.body ?? {};
  const source = typeof query === "string" ? query : "";
  res.json(await graphql({ schema, source, rootValue: library, variableValues: variables }));
}

/** @typedef {{ first: number }} Page */

const library = { books: (/** @type {Page} */ { first }) => pageOf(first, book) };

const book = () => ({
  title: "On Weirs",
  authors: (/** @type {Page} */ { first }) => pageOf(first, author),
});
const author = () => ({
  name: "A. Brook",
  books: (/** @type {Page} */ { first }) => pageOf(first, book),
});

/**
 * @template T
 * @param {number} first
 * @param {() => T} item
 */
const pageOf = (first, item) => Array.from({ length: first }, item);
