import { ConfigError } from "../errors.ts";

/** What a client asks of a GraphQL server, as it arrived: nothing of it is certain. */
export interface GraphqlRequest {
  /** The text of the document. */
  readonly query?: unknown;
  readonly operationName?: unknown;
  /** An object, or the JSON of one. */
  readonly variables?: unknown;
  /** What else came with it: `extensions`, `id` … */
  readonly [name: string]: unknown;
}

/** What the three frameworks hand over, as far as it matters here. Koa keeps what belongs to the request one level down. */
interface Carrier {
  readonly request?: unknown;
  readonly method?: unknown;
  readonly url?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Finds what is asked in a request of Express, Fastify or Koa: in its parsed body, one or a batch, and in its URL. Both
 * count where both have a text, as servers do not agree on which to heed. Throws a `ConfigError` where the body is not
 * parsed yet.
 */
export function requestsIn(req: unknown): readonly GraphqlRequest[] {
  const outer = (req ?? {}) as Carrier;
  const carrier =
    typeof outer.request === "object" && outer.request !== null
      ? (outer.request as Carrier)
      : outer;
  const { body, url } = carrier;
  if (body === undefined) mustBeParsed(carrier);
  const sent = asRequests(body);
  const linked = typeof url === "string" ? inUrl(url) : [];
  if (!linked.some(({ query }) => query)) return sent.length > 0 ? sent : linked;
  return [...sent.filter(({ query }) => query), ...linked];
}

/** One request, or several, as a list; what is no object is a request that says nothing. */
export function asRequests(value: unknown): readonly GraphqlRequest[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(asRequest);
  return [asRequest(value)];
}

function asRequest(value: unknown): GraphqlRequest {
  if (typeof value === "string") return { query: value };
  return typeof value === "object" && value !== null ? (value as GraphqlRequest) : {};
}

function inUrl(url: string): GraphqlRequest[] {
  const start = url.indexOf("?");
  if (start < 0) return [];
  const search = new URLSearchParams(url.slice(start + 1));
  const params = Object.fromEntries(search);
  const texts = search.getAll("query");
  return texts.length < 2 ? [params] : texts.map((query) => ({ ...params, query }));
}

/** A body that nobody has read yet would make every query cheap. */
function mustBeParsed({ method, headers = {} }: Carrier): void {
  if (method !== "POST" || !/^application\/json\s*(?:;|$)/i.test(String(headers["content-type"])))
    return;
  if (!(Number(headers["content-length"]) > 0) && headers["transfer-encoding"] === undefined)
    return;
  throw new ConfigError([
    {
      path: "cost: graphqlCost()",
      expected: "a parsed body (put the limiter behind the body parser, or give `from`)",
      received: "none",
    },
  ]);
}
