import { type Awaitable, isPromise, settled } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";
import { isWhole } from "../whole.ts";
import { type Examiner, examinersOf } from "./examiner.ts";
import { checkGraphqlCostOptions, type GraphqlCostOptions } from "./graphql-cost-options.ts";
import type { ExceededOption, GraphqlReport } from "./graphql-report.ts";
import { asRequests, type GraphqlRequest, requestsIn } from "./graphql-request.ts";
import { unread } from "./request-body.ts";
import { plus, unaffordable } from "./saturating.ts";

/** The option `cost` of a policy. */
export interface GraphqlCost<Req = unknown> {
  /** Answers whole units, at least 1; 2^53 - 1, which no limit admits, where the request goes beyond an option. */
  (req: Req): Awaitable<number>;
  /** Tells what the cost is made of: for logs, or for the body of a refusal. */
  explain(req: Req): Awaitable<GraphqlReport>;
}

/**
 * Makes a cost of what GraphQL requests ask for, found in their text alone: no resolver runs. The limiter has to stand
 * behind the body parser. Throws a `ConfigError` that names each option that does not fit; nothing that a client sends
 * makes the cost itself throw.
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

  /** One after the other, since they share a budget; in place as far as all answer in place. */
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

  /** The client chooses how it writes its request: what cannot be read must not be cheap. */
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

/** A request that says nothing. */
const silent: readonly GraphqlRequest[] = [{}];

function asRequestsLater(found: Awaitable<unknown>): Awaitable<readonly GraphqlRequest[]> {
  return settled(found, asRequests);
}

/** What `unknown` answered: a cost of 0 would make whatever it stands for free. */
function answered(cost: unknown): number {
  if (isWhole(cost) && cost >= 1) return cost;
  const expected = "a whole number of at least 1, or a string";
  throw new ConfigError([{ path: "unknown", expected, received: received(cost) }]);
}

function flat(cost: number): GraphqlReport {
  return { cost, depth: 0, aliases: 0, exceeds: undefined };
}
