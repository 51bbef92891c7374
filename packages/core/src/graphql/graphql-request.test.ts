import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type GraphqlCostOptions, type GraphqlRequest, graphqlCost } from "./index.ts";

const nodes = { model: "nodes" } as const;
const three = "{ a(first: 3) { id } }";
const five = "{ a(first: 5) { id } }";
const byVariable = "query ($n: Int) { a(first: $n) { id } }";
const two = "query A { a(first: 3) { id } } query B { a(first: 5) { id } }";

function costOf(request: object | null | undefined, options: GraphqlCostOptions = nodes): unknown {
  return graphqlCost(options)(request);
}

describe("what is asked", () => {
  it.each([
    ["a body", { body: { query: three } }, 3],
    [
      "the body of Koa's request, not of its response",
      { body: { query: five }, request: { body: { query: three } } },
      3,
    ],
    ["a body that is the text", { body: three }, 3],
    ["a URL", { url: `/graphql?query=${encodeURIComponent(three)}` }, 3],
    ["the URL of Koa's request", { request: { url: `/?query=${encodeURIComponent(three)}` } }, 3],
    ["a URL written otherwise", { url: `/?qu%65ry=${encodeURIComponent(three)}` }, 3],
    [
      "a URL that says it twice",
      { url: `/?query=${encodeURIComponent(three)}&query=${encodeURIComponent(five)}` },
      8,
    ],
    [
      "a URL with variables",
      { url: `/?query=${encodeURIComponent(byVariable)}&variables={"n":4}` },
      4,
    ],
    [
      "a body and a URL, of which servers choose either",
      { url: `/?query=${encodeURIComponent(three)}`, body: { query: five } },
      8,
    ],
    [
      "a body and a URL that name the same operation",
      { url: "/?operationName=A", body: { query: two, operationName: "A" } },
      3,
    ],
    [
      "a body and a URL that name different operations",
      { url: "/?operationName=B", body: { query: two, operationName: "A" } },
      5,
    ],
    [
      "a URL that names different operations",
      {
        url: `/?query=${encodeURIComponent(two)}&operationName=A&operationName=B&operationName=A`,
        body: { operationName: "B" },
      },
      5,
    ],
    [
      "a body and variables in the URL",
      { url: '/?variables={"n":600}', body: { query: byVariable, variables: { n: 1 } } },
      601,
    ],
    [
      "a body without variables and some in the URL, which a server may not heed",
      { url: '/?variables={"n":1}', body: { query: byVariable.replace("Int", "Int = 600") } },
      601,
    ],
    [
      "a URL and variables in the body",
      { url: `/?query=${encodeURIComponent(byVariable)}`, body: { variables: { n: 600 } } },
      610,
    ],
    [
      "a URL with variables again and again",
      {
        url: `/?query=${encodeURIComponent(byVariable)}&variables={"n":4}&variables={"n":5}&variables={"n":7}`,
      },
      11,
    ],
    [
      "a batch and variables in the URL",
      { url: '/?variables={"n":6}', body: [{ query: byVariable }, { query: three }] },
      10 + 6 + 3 + 3,
    ],
    ["an empty body and a URL", { url: `/?query=${encodeURIComponent(three)}`, body: {} }, 3],
    ["a batch", { body: [{ query: three }, { query: five }] }, 8],
    [
      "a batch with variables",
      { body: [1, 2, 4].map((n) => ({ query: byVariable, variables: { n } })) },
      7,
    ],
    ["a batch of one", { body: [{ query: three }] }, 3],
    [
      "a batch of much and nonsense",
      { body: [{ query: three }, null, 7, "}", [], { query: 7 }] },
      8,
    ],
    ["variables as a string", { body: { query: byVariable, variables: '{"n":4}' } }, 4],
    ["variables that are no JSON", { body: { query: byVariable, variables: "{n" } }, 10],
    ["variables that are no object", { body: { query: byVariable, variables: 7 } }, 10],
    ["variables that are null", { body: { query: byVariable, variables: "null" } }, 10],
  ])("is found in %s", (_, request, cost) => {
    expect(costOf(request)).toBe(cost);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a request without a body", {}],
    ["a body that is null", { body: null }],
    ["an empty body", { body: {} }],
    ["an empty batch", { body: [] }],
    ["an empty text", { body: { query: "" } }],
    ["a string that is a list", { body: { query: [three] } }],
    ["a string that is an object", { body: { query: { kind: "Document", definitions: [] } } }],
    ["a number", { body: 7 }],
    ["a URL alone", { url: "/graphql" }],
    ["a URL that is none", { url: "?%%%&query" }],
    [
      "a persisted query",
      { body: { extensions: { persistedQuery: { version: 1, sha256Hash: "f00" } } } },
    ],
    ["a persisted query in the URL", { url: "/?extensions=%7B%7D&operationName=Q" }],
  ])("is unknown in %s, which is never free", (_, request) => {
    expect(costOf(request)).toBe(1);
    expect(costOf(request, { ...nodes, unknown: 12, invalid: 5 })).toBe(12);
  });

  it("is looked for where `from` says, now or later", async () => {
    const stored = { query: three };
    expect(costOf({}, { ...nodes, from: () => stored })).toBe(3);
    expect(costOf({}, { ...nodes, from: () => [stored, stored] })).toBe(6);
    expect(await costOf({}, { ...nodes, from: async () => [stored, stored] })).toBe(6);
    expect(costOf({ body: stored }, { ...nodes, from: () => null })).toBe(1);
    expect(await costOf({ body: stored }, { ...nodes, from: async () => undefined })).toBe(1);
  });
});

describe("requests without a string", () => {
  const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: "f00" } } };

  it("are looked up by a function, which is told what came", async () => {
    const told: [GraphqlRequest, unknown][] = [];
    const options: GraphqlCostOptions = {
      ...nodes,
      unknown: (request, req) => {
        told.push([request, req]);
        return byVariable;
      },
    };
    const request = { body: { ...hash, variables: { n: 6 } } };
    expect(costOf(request, options)).toBe(6);
    expect(told).toEqual([[request.body, request]]);
    expect(await costOf(request, { ...nodes, unknown: async () => byVariable })).toBe(6);
  });

  it("cost what it answers, or what no document does", async () => {
    expect(costOf({ body: hash }, { unknown: () => 7 })).toBe(7);
    expect(costOf({ body: hash }, { unknown: () => undefined, invalid: 4 })).toBe(4);
    expect(costOf({ body: hash }, { unknown: () => null, invalid: 4 })).toBe(4);
    expect(costOf({ body: hash }, { unknown: () => "{", invalid: 4 })).toBe(4);
    expect(await costOf({ body: [hash, hash] }, { unknown: async () => 7 })).toBe(14);
  });

  it("are looked up by each of the variables that a URL says again and again", () => {
    const url = '/?id=1&variables={"n":4}&variables={"n":5}&variables={"n":7}';
    expect(costOf({ url }, { ...nodes, unknown: () => byVariable })).toBe(11);
  });

  it("pass on what it throws", async () => {
    const broken = new Error("no store");
    const failing = (): never => {
      throw broken;
    };
    expect(() => costOf({ body: hash }, { unknown: failing })).toThrow(broken);
    await expect(costOf({ body: hash }, { unknown: async () => failing() })).rejects.toBe(broken);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, {}, []])(
    "are never free: %o is no answer",
    async (answer) => {
      const message = "unknown: expected a whole number of at least 1, or a string, received";
      const now = { unknown: () => answer as number };
      const later = { unknown: async () => answer as number };
      expect(() => costOf({ body: hash }, now)).toThrow(message);
      await expect(costOf({ body: [hash, hash] }, later)).rejects.toThrow(message);
    },
  );
});

/** An HTTP/2 request inside that of a framework. */
function overHttp2(endAfterHeaders: boolean): object {
  return { raw: { httpVersionMajor: 2, stream: { endAfterHeaders } } };
}

describe("a body that nobody has parsed", () => {
  const headers = { "content-type": "application/json; charset=utf-8", "content-length": "40" };

  it("is a mistake in the order of things, and said so", () => {
    expect(() => costOf({ method: "POST", headers })).toThrow("behind the body parser");
    expect(() => costOf({ request: { method: "POST", headers } })).toThrow(
      "behind the body parser",
    );
    const chunked = { "content-type": "application/json", "transfer-encoding": "chunked" };
    expect(() => costOf({ method: "POST", headers: chunked })).toThrow("behind the body parser");
    expect(() => costOf({ method: "POST", headers })).toThrow('Fastify give it hook: "preHandler"');
  });

  const typed = (type: string) => ({ ...headers, "content-type": type });

  it.each([
    ["of plain text", { method: "POST", headers: typed("text/plain") }],
    ["of a type like JSON", { method: "POST", headers: typed("application/graphql+json") }],
    ["of GraphQL", { method: "POST", headers: typed("application/graphql"), body: {} }],
    ["of a form", { method: "POST", headers: typed("application/x-www-form-urlencoded") }],
    ["of a form with files", { method: "POST", headers: typed("multipart/form-data"), body: null }],
    ["of no type", { method: "POST", headers: { "content-length": "40" } }],
    ["of JSON beside what another parser left", { method: "POST", headers, body: {} }],
    ["of JSON in a GET", { method: "GET", headers }],
    ["that is a stream", { method: "POST", headers, body: Readable.from(["{}"]) }],
    ["over HTTP/2, where it needs no length", { method: "POST", headers: {}, ...overHttp2(false) }],
    ["of another method", { method: "QUERY", headers: typed("application/graphql") }],
    ["beside a URL", { method: "POST", headers: typed("text/plain"), url: "/?query={a}" }],
  ])("is never admitted %s, since a server behind may read it", async (_, request) => {
    expect(costOf(request)).toBe(Number.MAX_SAFE_INTEGER);
    expect(costOf({ request: { ...request, req: (request as { raw?: object }).raw } })).toBe(
      Number.MAX_SAFE_INTEGER,
    );
    expect(costOf(request, { ...nodes, unknown: 7 })).toBe(Number.MAX_SAFE_INTEGER);
    expect(await costOf(request, { ...nodes, unknown: async () => three })).toBe(3);
    expect(costOf(request, { ...nodes, from: () => ({ query: three }) })).toBe(3);
  });

  it.each([
    ["a string of JSON", JSON.stringify({ query: three }), 3],
    ["a batch as a string of JSON", ` ${JSON.stringify([{ query: three }, { query: five }])}`, 8],
    ["bytes of JSON", Buffer.from(JSON.stringify({ query: three })), 3],
    ["bytes of GraphQL", new Uint8Array(Buffer.from(three)), 3],
    ["the operations of a form", { operations: JSON.stringify({ query: three }), map: "{}" }, 3],
    ["operations that are a part", { operations: { value: JSON.stringify([{ query: five }]) } }, 5],
    ["operations that were parsed", { operations: { query: five } }, 5],
    ["operations that are none", { operations: "{" }, 1],
    ["operations beside a query", { query: three, operations: `{"query":"${five}"}` }, 8],
    [
      "operations that came twice",
      { operations: [`{"query":"${three}"}`, `{"query":"${five}"}`] },
      8,
    ],
    ["operations in bytes", { operations: Buffer.from(JSON.stringify({ query: five })) }, 5],
    ["a string of JSON behind a mark of its bytes", `\uFEFF${JSON.stringify({ query: three })}`, 3],
    [
      "of a class with a query",
      new (class Asked {
        query = three;
      })(),
      3,
    ],
  ])("is read where it is %s", (_, body, cost) => {
    expect(costOf({ method: "POST", headers, body })).toBe(cost);
  });

  it.each([
    [
      "of no length",
      { method: "POST", headers: { "content-type": "application/json", "content-length": "0" } },
    ],
    ["of a GET without one", { method: "GET", headers: {} }],
    [
      "that was parsed to nothing, since that was all",
      { method: "POST", headers: { ...headers, "content-length": "4" }, body: null },
    ],
    ["of HTTP/2 that ended after its fields", { method: "POST", headers: {}, ...overHttp2(true) }],
  ])("is none %s", (_, request) => {
    expect(costOf(request)).toBe(1);
  });
});
