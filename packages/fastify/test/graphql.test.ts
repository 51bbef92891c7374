import { graphqlCost } from "@spillway/core/graphql";
import Fastify, { type FastifyInstance } from "fastify";
import { buildSchema, graphql } from "graphql";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";
import { windowOf } from "./window.ts";

const schema = buildSchema(`
  type Query { me: User! users(first: Int): Users! }
  type User { name: String! friend: User! }
  type Users { nodes: [User!]! }
`);

interface Asked {
  readonly query: string;
  readonly variables?: object;
}

/** Starts a server that answers one request or a batch, by POST and GET, and counts the users it resolved. */
async function serve(): Promise<{ app: FastifyInstance; resolved: { users: number } }> {
  const resolved = { users: 0 };
  const user = (): object => {
    resolved.users++;
    return { name: "Ada", friend: user };
  };
  const rootValue = {
    me: user,
    users: ({ first = 10 }) => ({ nodes: Array.from({ length: first }, user) }),
  };
  const run = ({ query, variables }: Asked) =>
    graphql({ schema, rootValue, source: query, variableValues: { ...variables } });
  const app = Fastify();
  const cost = graphqlCost({ schema, maxDepth: 5 });
  await app.register(rateLimit, { ...windowOf(100), hook: "preHandler", cost });
  app.route<{ Body: Asked | Asked[]; Querystring: Asked }>({
    method: ["GET", "POST"],
    url: "/graphql",
    async handler(request, reply) {
      const asked = request.method === "GET" ? request.query : request.body;
      const results = await Promise.all([asked].flat().map(run));
      reply.code(results.some(({ data }) => data === undefined) ? 400 : 200);
      return Array.isArray(asked) ? results : results[0];
    },
  });
  return { app, resolved };
}

async function ask(app: FastifyInstance, payload: object | undefined, url = "/graphql") {
  const method = payload ? "POST" : "GET";
  const { statusCode, headers, body } = await app.inject({
    method,
    url,
    ...(payload && { payload }),
  });
  return {
    status: statusCode,
    left: Number(headers["x-ratelimit-remaining"]),
    wait: headers["retry-after"],
    body,
  };
}

describe("GraphQL", () => {
  it("costs what is asked for", async () => {
    const { app, resolved } = await serve();
    const me = { query: "{ me { name } }" };
    const page = "query ($n: Int) { users(first: $n) { nodes { name } } }";
    expect(await ask(app, me)).toMatchObject({ status: 200, left: 99 });
    expect(await ask(app, { query: page, variables: { n: 20 } })).toMatchObject({
      status: 200,
      left: 78,
    });
    expect(await ask(app, [me, me])).toMatchObject({ status: 200, left: 76 });
    expect(await ask(app, { query: "{ me" })).toMatchObject({ status: 400, left: 75 });
    const url = `/graphql?query=${encodeURIComponent(me.query)}`;
    expect(await ask(app, undefined, url)).toMatchObject({ status: 200, left: 74 });
    expect(resolved.users).toBe(1 + 20 + 2 + 1);
    const refused = await ask(app, { query: page, variables: { n: 74 } });
    expect(refused).toMatchObject({ status: 429, left: 74, wait: "60" });
    expect(resolved.users).toBe(24);
  });

  it.each([
    ["depth", "{ me { friend { friend { friend { friend { name } } } } } }"],
    ["cycle", "{ me { ...F } } fragment F on User { friend { ...F } }"],
    ["length", `{ ${"me { name } ".repeat(4000)} }`],
  ])("refuses what goes beyond a limit, whatever is left: %s", async (_, query) => {
    const { app, resolved } = await serve();
    const { status, left, wait, body } = await ask(app, { query });
    expect({ status, left, wait }).toEqual({ status: 429, left: 100, wait: undefined });
    expect(JSON.parse(body)).toMatchObject({ error: "Too Many Requests", limit: 100 });
    expect(resolved.users).toBe(0);
  });

  it("says what is wrong where the hook comes before the body", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(100), cost: graphqlCost() });
    app.post("/graphql", async () => "ok");
    const { status, body } = await ask(app, { query: "{ me { name } }" });
    expect(status).toBe(500);
    expect(body).toContain("put the limiter behind the body parser");
  });
});
