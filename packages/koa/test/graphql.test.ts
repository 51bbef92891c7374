import { json } from "node:stream/consumers";
import { graphqlCost } from "@spillway/core/graphql";
import { buildSchema, graphql } from "graphql";
import type { Context } from "koa";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";
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

/** Koa with a body parser. */
interface Parsed extends Context {
  request: Context["request"] & { body?: Asked | Asked[] };
}

async function parseBody(ctx: Parsed, next: () => Promise<unknown>): Promise<void> {
  if (ctx.method === "POST") ctx.request.body = (await json(ctx.req)) as Asked;
  await next();
}

describe.each(majors)("GraphQL on $name", ({ Koa }) => {
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
    const run = ({ query, variables }: Asked) =>
      graphql({ schema, rootValue, source: query, variableValues: { ...variables } });
    const app = new Koa();
    app.use(parseBody as never);
    app.use(rateLimit({ ...windowOf(100), cost: graphqlCost({ schema, maxDepth: 5 }) }));
    app.use(async (ctx) => {
      const { body } = ctx.request as Parsed["request"];
      const asked = body ?? { query: String(ctx.query.query) };
      const results = await Promise.all([asked].flat().map(run));
      ctx.status = results.some(({ data }) => data === undefined) ? 400 : 200;
      ctx.body = Array.isArray(asked) ? results : results[0];
    });
    const asks = async (body: object | undefined, path = "/graphql") => {
      const method = body ? "post" : "get";
      const { status, headers, text } = await ask(app, { method, path, ...(body && { body }) });
      const left = Number(headers["x-ratelimit-remaining"]);
      return { status, left, wait: headers["retry-after"], text };
    };
    return { asks, resolved };
  }

  it("costs what is asked for", async () => {
    const { asks, resolved } = serve();
    const me = { query: "{ me { name } }" };
    const page = "query ($n: Int) { users(first: $n) { nodes { name } } }";
    expect(await asks(me)).toMatchObject({ status: 200, left: 99 });
    expect(await asks({ query: page, variables: { n: 20 } })).toMatchObject({
      status: 200,
      left: 78,
    });
    expect(await asks([me, me])).toMatchObject({ status: 200, left: 76 });
    expect(await asks({ query: "{ me" })).toMatchObject({ status: 400, left: 75 });
    const path = `/graphql?query=${encodeURIComponent(me.query)}`;
    expect(await asks(undefined, path)).toMatchObject({ status: 200, left: 74 });
    expect(resolved.users).toBe(1 + 20 + 2 + 1);
    const refused = await asks({ query: page, variables: { n: 74 } });
    expect(refused).toMatchObject({ status: 429, left: 74, wait: "60" });
    expect(resolved.users).toBe(24);
  });

  it.each([
    ["depth", "{ me { friend { friend { friend { friend { name } } } } } }"],
    ["cycle", "{ me { ...F } } fragment F on User { friend { ...F } }"],
    ["length", `{ ${"me { name } ".repeat(4000)} }`],
  ])("refuses what goes beyond a limit, whatever is left: %s", async (_, query) => {
    const { asks, resolved } = serve();
    const { status, left, wait, text } = await asks({ query });
    expect({ status, left, wait }).toEqual({ status: 429, left: 100, wait: undefined });
    expect(JSON.parse(text)).toMatchObject({ error: "Too Many Requests", limit: 100 });
    expect(resolved.users).toBe(0);
  });

  it("says what is wrong where the body is not parsed before", async () => {
    const app = new Koa();
    const told: string[] = [];
    app.on("error", (error: Error) => told.push(error.message));
    app.use(rateLimit({ ...windowOf(100), cost: graphqlCost() }));
    const { status } = await ask(app, { method: "post", body: { query: "{ me { name } }" } });
    expect(status).toBe(500);
    expect(told).toEqual([expect.stringContaining("put the limiter behind the body parser")]);
  });
});
