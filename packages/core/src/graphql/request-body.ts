import { ConfigError } from "../errors.ts";
import { isPlainObject } from "../plain-object.ts";
import { wasBodySent } from "./body-sent.ts";

/** The parts of a request that concern its body. */
export interface BodyCarrier {
  readonly method?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Node's own request in those of Fastify and Koa. */
  readonly raw?: unknown;
  readonly req?: unknown;
}

/** Stands for a body that was sent but cannot be read here; the server behind may read it. */
export const unread: unique symbol = Symbol("unread");

/**
 * Reads the body that a parser left: its values, text or bytes, and the `operations` of a form with files. Throws a
 * `ConfigError` if JSON was posted and no parser ran.
 */
export function bodyIn(carrier: BodyCarrier): unknown {
  const { body, method } = carrier;
  if (body instanceof Uint8Array) return ofText(Buffer.from(body).toString());
  if (typeof body === "string") return ofText(body);
  if (isParsed(body)) return ofForm(body);
  if (!isEmpty(body)) return unread;
  if (!wasBodySent(carrier)) return body;
  if (body === undefined && method === "POST" && isJson(carrier)) throw notParsed();
  return isNothing(carrier) ? body : unread;
}

/** No GraphQL document is also JSON. */
function ofText(text: string): unknown {
  const bare = text.replace(/^\uFEFF/, "");
  if (!/^\s*[[{]/.test(bare)) return bare;
  try {
    return JSON.parse(bare);
  } catch {
    return bare;
  }
}

/**
 * Reads a form with files, where the request is JSON in a field; see the GraphQL multipart request specification. If
 * the form has a query too, a server may run either.
 */
function ofForm(body: unknown): unknown {
  const { query, operations } = body as { readonly query?: unknown; readonly operations?: unknown };
  if (operations === undefined) return body;
  const found = [operations].flat().flatMap(ofPart);
  if (query !== undefined) return [body, ...found];
  return found.length === 1 ? found[0] : found;
}

function ofPart(part: unknown): unknown {
  const value = (part as { readonly value?: unknown } | null)?.value ?? part;
  if (value instanceof Uint8Array) return ofText(Buffer.from(value).toString());
  return typeof value === "string" ? ofText(value) : value;
}

/** Whether a body looks parsed: a number, an array, a plain object with content. A stream does not. */
function isParsed(body: unknown): boolean {
  if (isEmpty(body)) return false;
  if (typeof body !== "object" || Array.isArray(body) || isPlainObject(body)) return true;
  return typeof (body as { query?: unknown }).query === "string";
}

/** Some parsers leave an empty object, or `null`, for what they did not parse. */
function isEmpty(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  return isPlainObject(body) && Object.keys(body as object).length === 0;
}

/** Whether the body sent is at most `{}`, `[]` or `null`. */
function isNothing({ headers = {} }: BodyCarrier): boolean {
  return Number(headers["content-length"]) <= "null".length;
}

function isJson({ headers = {} }: BodyCarrier): boolean {
  return /^application\/json\s*(?:;|$)/i.test(String(headers["content-type"]));
}

/** An unparsed body would make every query cheap. */
function notParsed(): ConfigError {
  const expected =
    'a parsed body (put the limiter behind the body parser of Express or Koa, such as express.json(); in Fastify give it hook: "preHandler"; or give `from`)';
  return new ConfigError([{ path: "cost: graphqlCost()", expected, received: "none" }]);
}
