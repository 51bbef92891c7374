import { type GraphqlReport, graphqlCost } from "@spillway/core/graphql";
import { buildSchema, graphql } from "graphql";
import { describe, expect, it } from "vitest";
import { memoryStore, rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";
import { clock, minute } from "./minute.ts";

const schema = buildSchema(`
  type Query { me: User! users(first: Int): Users! }
  type User { name: String! friend: User! }
  type Users { nodes: [User!]! }
`);

describe.each(majors)("GraphQL on $name", ({ express }) => {
  /** Starts a server that answers one request or a batch, by POST and GET, and counts the users it resolved. */
  function serve() {
    const resolved = { users: 0 };
    const user = (): object => {
      resolved.users++;
      return { name: "Ada", friend: user };
    };
    const rootValue = {
      me: user,
      users: ({ first = 10 }) => ({ nodes: Array.from({ length: first }, user) }),
    };
    const run = ({ query, variables }: { query: string; variables?: object }) =>
      graphql({ schema, rootValue, source: query, variableValues: { ...variables } });
    const cost = graphqlCost({ schema, maxDepth: 5 });
    const app = express();
    app.use(express.json());
    app.use(
      rateLimit({
        ...minute,
        limit: 100,
        store: memoryStore({ clock }),
        cost,
        body: (decision, req) => {
          const { exceeds } = cost.explain(req) as GraphqlReport;
          const message = exceeds ? `The query exceeds ${exceeds}.` : "Too many queries.";
          return { errors: [{ message, extensions: { code: decision.reason } }] };
        },
      }),
    );
    app.all("/graphql", (req, res, next) => {
      const asked = req.method === "GET" ? { query: String(req.query.query) } : req.body;
      Promise.all([asked].flat().map(run)).then((results) => {
        const invalid = results.some(({ data }) => data === undefined);
        res.status(invalid ? 400 : 200).json(Array.isArray(asked) ? results : results[0]);
      }, next);
    });
    return { app, resolved };
  }

  const told = async (...[app, path, options]: Parameters<typeof ask>) => {
    const { status, headers, text } = await ask(app, path, options);
    return {
      status,
      left: Number(headers["x-ratelimit-remaining"]),
      wait: headers["retry-after"],
      text,
    };
  };

  it("costs what is asked for", async () => {
    const { app, resolved } = serve();
    const post = (body: unknown) => told(app, "/graphql", { body });
    const me = { query: "{ me { name } }" };
    const page = "query ($n: Int) { users(first: $n) { nodes { name } } }";
    expect(await post(me)).toMatchObject({ status: 200, left: 99 });
    expect(await post({ query: page, variables: { n: 20 } })).toMatchObject({
      status: 200,
      left: 78,
    });
    expect(await post([me, me])).toMatchObject({ status: 200, left: 76 });
    expect(await post({ query: "{ me" })).toMatchObject({ status: 400, left: 75 });
    const url = `/graphql?query=${encodeURIComponent(me.query)}`;
    expect(await told(app, url, {})).toMatchObject({ status: 200, left: 74 });
    expect(resolved.users).toBe(1 + 20 + 2 + 1);
    expect(await post({ query: page, variables: { n: 74 } })).toMatchObject({
      status: 429,
      left: 74,
      wait: "60",
    });
    expect(resolved.users).toBe(24);
  });

  it.each([
    ["depth", "{ me { friend { friend { friend { friend { name } } } } } }", "maxDepth"],
    ["cycle", "{ me { ...F } } fragment F on User { friend { ...F } }", "maxDepth"],
    ["length", `{ ${"me { name } ".repeat(4000)} }`, "maxTokens"],
  ])("refuses what goes beyond a limit, whatever is left: %s", async (_, query, exceeds) => {
    const { app, resolved } = serve();
    const { status, left, wait, text } = await told(app, "/graphql", { body: { query } });
    expect({ status, left, wait }).toEqual({ status: 429, left: 100, wait: undefined });
    expect(JSON.parse(text)).toEqual({
      errors: [
        { message: `The query exceeds ${exceeds}.`, extensions: { code: "cost-exceeds-limit" } },
      ],
    });
    expect(resolved.users).toBe(0);
  });

  it("says what is wrong where the body is not parsed before", async () => {
    const app = express();
    app.set("env", "test");
    app.use(
      rateLimit({ ...minute, limit: 100, store: memoryStore({ clock }), cost: graphqlCost() }),
    );
    app.use(express.json(), (_, res) => void res.send("ok"));
    const { status, text } = await ask(app, "/", { body: { query: "{ me { name } }" } });
    expect(status).toBe(500);
    expect(text).toContain("put the limiter behind the body parser");
  });
});
