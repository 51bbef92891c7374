import { ConfigError } from "../errors.ts";

/** A request as far as its body matters. */
export interface BodyCarrier {
  readonly method?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Stands for a body that was sent and that nobody here can read; a server behind may. */
export const unread: unique symbol = Symbol("unread");

/**
 * Reads what a parser made of the body of a request: its values, its text or its bytes, and the `operations` of a form
 * with files. Throws a `ConfigError` where JSON came and no parser ran.
 */
export function bodyIn(carrier: BodyCarrier): unknown {
  const { body } = carrier;
  if (body instanceof Uint8Array) return ofText(Buffer.from(body).toString());
  if (typeof body === "string") return ofText(body);
  if (isSomething(body)) return ofForm(body);
  if (!wasSent(carrier)) return body;
  if (!isJson(carrier)) return unread;
  if (body === undefined) throw notParsed();
  return body;
}

/** No document of GraphQL is also JSON. */
function ofText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of a form with files, the request is the JSON in one of its fields; see the GraphQL multipart request specification. */
function ofForm(body: unknown): unknown {
  const { query, operations } = body as { readonly query?: unknown; readonly operations?: unknown };
  if (query !== undefined || operations === undefined) return body;
  const text = (operations as { readonly value?: unknown } | null)?.value ?? operations;
  return typeof text === "string" ? ofText(text) : text;
}

/** Some parsers leave an empty object where they have not parsed, or `null`. */
function isSomething(body: unknown): boolean {
  if (typeof body !== "object") return body !== undefined;
  return body !== null && (Array.isArray(body) || Object.keys(body).length > 0);
}

function wasSent({ method, headers = {} }: BodyCarrier): boolean {
  if (method === undefined || method === "GET" || method === "HEAD") return false;
  return Number(headers["content-length"]) > 0 || headers["transfer-encoding"] !== undefined;
}

function isJson({ headers = {} }: BodyCarrier): boolean {
  return /^application\/json\s*(?:;|$)/i.test(String(headers["content-type"]));
}

/** It would make every query cheap. */
function notParsed(): ConfigError {
  const expected =
    'a parsed body (put the limiter behind the body parser of Express or Koa, such as express.json(); in Fastify give it hook: "preHandler"; or give `from`)';
  return new ConfigError([{ path: "cost: graphqlCost()", expected, received: "none" }]);
}
