import fc from "fast-check";
import {
  buildSchema,
  execute,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  parse,
  validate,
} from "graphql";
import { expect, it } from "vitest";
import { type GraphqlCostOptions, graphqlCost } from "./index.ts";

const schema = buildSchema(`
  type Query { me: User! users(first: Int = 3, last: Int): UserConnection! }
  interface Named { name: String! best: User! }
  type User implements Named {
    id: ID!
    name: String!
    tags: [String!]!
    best: User!
    friends(first: Int, last: Int): UserConnection!
    list(first: Int): [User!]!
    roles: [Role!]!
  }
  type Role implements Named { name: String! best: User! }
  type UserConnection { edges: [UserEdge!]! nodes: [User!]! pageInfo: PageInfo! totalCount: Int! }
  type UserEdge { node: User! cursor: String! }
  type PageInfo { hasNextPage: Boolean! }
`);

const defaultPageSize = 2;

/** What a server's resolvers did for a query. */
interface Done {
  scalars: number;
  /** Objects outside pages. */
  objects: number;
  pages: number;
  items: number;
}

/** Runs a query with resolvers that return as many items as requested, and counts. */
function run(query: string, variableValues: Record<string, unknown>): Done {
  const done: Done = { scalars: 0, objects: 0, pages: 0, items: 0 };
  function resolve(
    source: { size?: number },
    args: { first?: number; last?: number },
    _: unknown,
    { fieldName, returnType, parentType }: GraphQLResolveInfo,
  ): unknown {
    const list = isListType(getNullableType(returnType));
    const type = getNamedType(returnType);
    if (isLeafType(type)) {
      done.scalars++;
      if (list) return ["a", "b", "c"];
      return type.name === "Boolean" || (type.name === "Int" ? 7 : "text");
    }
    if (parentType.name === "UserConnection" && list) return Array(source.size).fill({});
    if (parentType.name === "UserEdge") return {};
    if (!list && type.name !== "UserConnection") {
      done.objects++;
      return {};
    }
    const size = Math.max(args.first ?? 0, args.last ?? 0) || defaultPageSize;
    expect(size, fieldName).toBeGreaterThan(0);
    done.pages++;
    done.items += size;
    return list ? Array(size).fill({}) : { size };
  }
  const document = parse(query);
  expect(validate(schema, document).map(String)).toEqual([]);
  const result = execute({ schema, document, variableValues, fieldResolver: resolve as never });
  expect(result).toEqual({ data: expect.anything() });
  return done;
}

/** The fields of each type; those with a selection name its type, and pages may take a size. */
const fields: Readonly<
  Record<string, readonly [name: string, inner?: string, paged?: "both" | "first"][]>
> = {
  Query: [
    ["me", "User"],
    ["users", "UserConnection", "both"],
  ],
  User: [
    ["id"],
    ["name"],
    ["tags"],
    ["best", "User"],
    ["friends", "UserConnection", "both"],
    ["list", "User", "first"],
    ["roles", "Role"],
  ],
  Role: [["name"], ["best", "User"]],
  UserConnection: [
    ["edges", "UserEdge"],
    ["nodes", "User"],
    ["pageInfo", "PageInfo"],
    ["totalCount"],
  ],
  UserEdge: [["node", "User"], ["cursor"]],
  PageInfo: [["hasNextPage"]],
};

const directive = fc.constantFrom(
  "",
  "",
  "",
  "",
  " @include(if: $yes)",
  " @skip(if: $yes)",
  " @skip(if: $no)",
);

/** Generates selections of a type up to a depth; they may spread the type's fragments from index `from` on. */
function selection(type: string, depth: number, from: number): fc.Arbitrary<string> {
  const possible = fields[type]!.filter(([, inner]) => depth > 1 || !inner);
  const each = possible.map(([name, inner, paged]) => {
    const size = !paged ? fc.constant("") : argumentsOf(paged);
    const below = inner ? selection(inner, depth - 1, from) : fc.constant("");
    return fc
      .tuple(fc.constantFrom("", "a", "b"), size, directive, below)
      .map(([alias, args, when, fields]) => {
        // A separate alias for each list of arguments: others conflict.
        const called = `${name}${alias}${args.replace(/\W+/g, "_")}`;
        return `${called}: ${name}${args}${when}${inner ? ` { ${fields} }` : ""}`;
      });
  });
  const typename = fc.constant("__typename");
  const inline =
    depth > 1
      ? [selection(type, depth - 1, from).map((inner) => `... on ${type} { ${inner} }`)]
      : [];
  const spreads = [];
  if (type === "User") {
    for (let i = from; i < 3; i++) spreads.push(directive.map((when) => `...F${i}${when}`));
  }
  const any = fc.oneof(...each, typename, ...inline, ...spreads, ...spreads);
  return fc.array(any, { minLength: 1, maxLength: 3 }).map((all) => all.join(" "));
}

function argumentsOf(paged: "both" | "first"): fc.Arbitrary<string> {
  const both = ["(last: 2)", "(first: 1, last: 3)", "(last: $n)"];
  return fc.constantFrom(
    "",
    "(first: 1)",
    "(first: 3)",
    "(first: $n)",
    ...(paged === "both" ? both : []),
  );
}

const queries = fc
  .tuple(
    selection("Query", 4, 0),
    selection("User", 3, 1),
    selection("User", 3, 2),
    selection("User", 2, 3),
  )
  .map(
    ([root, ...fragments]) =>
      // Uses every variable and fragment somewhere, because unused ones are errors.
      `query ($yes: Boolean!, $no: Boolean!, $n: Int) { ${root} all: me @skip(if: $yes) { list(first: $n) { ...F0 ...F1 ...F2 id @skip(if: $no) } } } ${fragments
        .map((fields, i) => `fragment F${i} on User { ${fields} }`)
        .join(" ")}`,
  );

it("costs what a server does, resolver by resolver", () => {
  const none = { scalar: 0, object: 0, connection: 0 };
  const costs: readonly (readonly [GraphqlCostOptions, (done: Done) => number])[] = [
    [{ model: "nodes" }, ({ items }) => items],
    [{ ...none, connection: 1 }, ({ pages }) => pages],
    [{ ...none, scalar: 1 }, ({ scalars }) => scalars],
    [{ ...none, object: 1 }, ({ objects, items }) => objects + items],
    [{}, ({ objects, items, pages }) => objects + items + pages],
    [{ model: "github" }, ({ pages }) => Math.round(pages / 100)],
  ];
  const made = costs.map(([options, counted]) => {
    return [graphqlCost({ ...options, schema, defaultPageSize }), counted] as const;
  });
  fc.assert(
    fc.property(queries, fc.constantFrom(1, 2, 4), (query, n) => {
      const variables = { yes: true, no: false, n };
      const done = run(query, variables);
      for (const [cost, counted] of made) {
        expect(cost({ body: { query, variables } })).toBe(Math.max(1, counted(done)));
      }
    }),
    { numRuns: 100, seed: 5 },
  );
});
