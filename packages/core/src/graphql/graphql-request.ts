import { type BodyCarrier, bodyIn, unread } from "./request-body.ts";

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
interface Carrier extends BodyCarrier {
  readonly request?: unknown;
  readonly url?: unknown;
}

/**
 * Finds what is asked in a request of Express, Fastify or Koa: in its parsed body, one or a batch, and in its URL. Where
 * both say something all ways to read them count, as servers do not agree on which to heed. Answers `unread` where nobody
 * knows, since nothing has read the body; throws a `ConfigError` where that is JSON.
 */
export function requestsIn(req: unknown): readonly GraphqlRequest[] | typeof unread {
  const outer = (req ?? {}) as Carrier;
  const carrier =
    typeof outer.request === "object" && outer.request !== null
      ? (outer.request as Carrier)
      : outer;
  const { url } = carrier;
  const body = bodyIn(carrier);
  if (body === unread) return unread;
  const sent = asRequests(body);
  const linked = typeof url === "string" ? inUrl(url) : [];
  if (linked.length === 0) return sent;
  const asked = linked.filter(({ query }) => query);
  if (asked.length === 0) return mixed(sent.length > 0 ? sent : linked.slice(0, 1), linked);
  const single = sent.length === 1 ? sent : [];
  const posted = sent.filter(({ query }) => query);
  return [...mixed(posted, linked), ...mixed(asked, [...linked, ...single])];
}

/** What each of the requests may come to where a server takes its variables or its operation from one of the others. */
function mixed(
  requests: readonly GraphqlRequest[],
  others: readonly GraphqlRequest[],
): readonly GraphqlRequest[] {
  const named = [...new Set(others.map(({ operationName }) => operationName))].filter(Boolean);
  const given = [...new Set(others.map(({ variables }) => variables))].filter(Boolean);
  if (named.length === 0 && given.length === 0) return requests;
  return requests.flatMap((request) => {
    const sure = named.every((name) => name === request.operationName);
    const operationName = sure ? request.operationName : undefined;
    const possible = new Set([request.variables || undefined, ...given]);
    return [...possible].map((variables) => ({ ...request, operationName, variables }));
  });
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

/** What a URL says, as a request for each of its texts; of what stands there again and again the first or the last. */
function inUrl(url: string): GraphqlRequest[] {
  const start = url.indexOf("?");
  if (start < 0) return [];
  const search = new URLSearchParams(url.slice(start + 1));
  const all: GraphqlRequest = Object.fromEntries(search);
  const { operationName, variables } = all;
  const texts = search.getAll("query").filter(Boolean);
  // What else stands there is left out beside a string: thousands of each would else make millions.
  const linked =
    texts.length === 0 ? [all] : texts.map((query) => ({ query, operationName, variables }));
  const first = {
    operationName: search.get("operationName") ?? undefined,
    variables: search.get("variables") ?? undefined,
  };
  const same = operationName === first.operationName && variables === first.variables;
  return same ? linked : [...linked, first];
}
