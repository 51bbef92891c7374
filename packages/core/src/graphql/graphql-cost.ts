import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";
import { isWhole } from "../whole.ts";
import { type Examiner, examinersOf } from "./examiner.ts";
import { checkGraphqlCostOptions, type GraphqlCostOptions } from "./graphql-cost-options.ts";
import type { ExceededOption, GraphqlReport } from "./graphql-report.ts";
import { asRequests, type GraphqlRequest, requestsIn } from "./graphql-request.ts";
import { unread } from "./request-body.ts";
import { plus, unaffordable } from "./saturating.ts";

/** A function for the `cost` option of a policy. */
export interface GraphqlCost<Req = unknown> {
  /** Returns whole units, at least 1; 2^53 - 1, which no limit admits, if the request exceeds an option. */
  (req: Req): Awaitable<number>;
  /** Returns what the cost consists of: for logs, or for the body of a refusal. */
  explain(req: Req): Awaitable<GraphqlReport>;
}

/**
 * Creates a cost from what GraphQL requests ask for, by their text alone: no resolver runs. The limiter must come after
 * the body parser. Throws a `ConfigError` naming each invalid option; nothing that a client sends makes the cost
 * function itself throw.
 */
export function graphqlCost<Req = unknown>(
  options: GraphqlCostOptions<Req> = {},
): GraphqlCost<Req> {
  const checked = checkGraphqlCostOptions(options);
  const {
    unknown = 1,
    invalid = 1,
    from,
    maxAliases = unaffordable,
    maxCost = unaffordable,
  } = checked;
  const examiner = examinersOf(checked);

  function reportOf(request: GraphqlRequest, req: Req, by: Examiner): Awaitable<GraphqlReport> {
    const { query, operationName, variables } = request;
    if (typeof query === "string" && query !== "") {
      return by.examine(query, operationName, variables);
    }
    if (typeof unknown === "number") return flat(unknown);
    return settled(unknown(request, req), (found) => {
      if (typeof found === "string") return by.examine(found, operationName, variables);
      return flat(found === undefined || found === null ? invalid : answered(found));
    });
  }

  function together(sum: GraphqlReport, one: GraphqlReport): GraphqlReport {
    const cost = plus(sum.cost, one.cost);
    const depth = Math.max(sum.depth, one.depth);
    const aliases = sum.aliases + one.aliases;
    let exceeds: ExceededOption | undefined = one.exceeds;
    if (!exceeds && aliases > maxAliases) exceeds = "maxAliases";
    if (!exceeds && cost > maxCost) exceeds = "maxCost";
    return { cost, depth, aliases, exceeds };
  }

  /** Sequential because of the shared budget; synchronous as long as all results are. */
  function sumOf(requests: readonly GraphqlRequest[], req: Req): Awaitable<GraphqlReport> {
    const by = examiner();
    const left = requests.values();
    const addTo = (before: GraphqlReport): Awaitable<GraphqlReport> => {
      let sum = before;
      while (!sum.exceeds) {
        const { done, value } = left.next();
        if (done) break;
        const one = reportOf(value, req, by);
        if (isPromise(one)) return one.then((known) => addTo(together(sum, known)));
        sum = together(sum, one);
      }
      return sum;
    };
    return addTo(flat(0));
  }

  /** Clients choose the format of their request, so an unreadable one must not be cheap. */
  function unreadable(req: Req): Awaitable<GraphqlReport> {
    return typeof unknown === "number" ? flat(unaffordable) : sumOf(silent, req);
  }

  function explain(req: Req): Awaitable<GraphqlReport> {
    return settled(from ? asRequestsLater(from(req)) : requestsIn(req), (found) =>
      found === unread ? unreadable(req) : sumOf(found.length === 0 ? silent : found, req),
    );
  }

  const cost = (req: Req): Awaitable<number> =>
    settled(explain(req), (report) => (report.exceeds ? unaffordable : report.cost));
  return Object.assign(cost, { explain });
}

/** A request without content. */
const silent: readonly GraphqlRequest[] = [{}];

function asRequestsLater(found: Awaitable<unknown>): Awaitable<readonly GraphqlRequest[]> {
  return settled(found, asRequests);
}

/** Checks the result of `unknown`: a cost of 0 would make requests free. */
function answered(cost: unknown): number {
  if (isWhole(cost) && cost >= 1) return cost;
  const expected = "a whole number of at least 1, or a string";
  throw new ConfigError([{ path: "unknown", expected, received: received(cost) }]);
}

function flat(cost: number): GraphqlReport {
  return { cost, depth: 0, aliases: 0, exceeds: undefined };
}
