import { type BodyCarrier, bodyIn, unread } from "./request-body.ts";

/** A GraphQL request as it arrived, unvalidated. */
export interface GraphqlRequest {
  /** The text of the document. */
  readonly query?: unknown;
  readonly operationName?: unknown;
  /** An object, or the JSON of one. */
  readonly variables?: unknown;
  /** Anything else that came with it: `extensions`, `id` … */
  readonly [name: string]: unknown;
}

/** The relevant parts of a framework's request. Koa's context has the request one level down. */
interface Carrier extends BodyCarrier {
  readonly request?: unknown;
  readonly url?: unknown;
}

/**
 * Returns the GraphQL requests in a request of Express, Fastify or Koa: in its parsed body, one or a batch, and in its
 * URL. If both have some, every interpretation counts, because servers disagree on which to use. Returns `unread` if
 * nothing has read the body; throws a `ConfigError` if that is JSON.
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

/** Returns what each request may amount to if a server takes its variables or operation name from another one. */
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

/** Returns one request, or several, as an array; anything but an object is a request without content. */
export function asRequests(value: unknown): readonly GraphqlRequest[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(asRequest);
  return [asRequest(value)];
}

function asRequest(value: unknown): GraphqlRequest {
  if (typeof value === "string") return { query: value };
  return typeof value === "object" && value !== null ? (value as GraphqlRequest) : {};
}

/**
 * Returns the requests in a URL, one per `query`; other repeated parameters count by their last value, and in one more
 * request by their first.
 */
function inUrl(url: string): GraphqlRequest[] {
  const start = url.indexOf("?");
  if (start < 0) return [];
  const search = new URLSearchParams(url.slice(start + 1));
  const all: GraphqlRequest = Object.fromEntries(search);
  const { operationName, variables } = all;
  const texts = search.getAll("query").filter(Boolean);
  // Omits all other parameters: thousands of each would multiply to millions.
  const linked =
    texts.length === 0 ? [all] : texts.map((query) => ({ query, operationName, variables }));
  const first = {
    operationName: search.get("operationName") ?? undefined,
    variables: search.get("variables") ?? undefined,
  };
  const same = operationName === first.operationName && variables === first.variables;
  return same ? linked : [...linked, first];
}
