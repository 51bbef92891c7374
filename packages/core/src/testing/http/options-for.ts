import type { IncomingMessage } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import type { PolicySource } from "../../policies/policy-source.ts";
import type { OptionsFor } from "./app.ts";

/** Converts options whose functions take Node's request to options for any framework. */
export function optionsFor(options: HttpOptions<IncomingMessage>): OptionsFor {
  return <Req>(raw: (req: Req) => IncomingMessage) =>
    adapted(options, (req) => raw(req as Req)) as HttpOptions<Req>;
}

/** Options whose functions take a request, and the index of that parameter. */
const places: Readonly<Record<string, number>> = {
  limit: 0,
  burst: 0,
  window: 0,
  tier: 0,
  key: 0,
  cost: 0,
  skip: 0,
  match: 0,
  when: 0,
  refund: 1,
  count: 1,
  resetOn: 1,
  action: 1,
  body: 1,
  onDecision: 1,
  onRefused: 1,
  onFirstRefused: 1,
  onNearLimit: 1,
  onError: 1,
};

/** Options that contain further options, or lists of them. */
const nests: readonly string[] = ["policies", "rules", "match", "allow", "deny"];

type Raw = (req: unknown) => unknown;

function adapted(options: object, raw: Raw): object {
  return Object.fromEntries(
    Object.entries(options).map(([option, value]) => {
      if (option === "source") return [option, sourceFor(value as PolicySource, raw)];
      const place = places[option];
      return [option, each(value, (one) => adaptedOne(one, place, nests.includes(option), raw))];
    }),
  );
}

function adaptedOne(value: unknown, place: number | undefined, nested: boolean, raw: Raw): unknown {
  if (place !== undefined && typeof value === "function")
    return through(value as (...args: unknown[]) => unknown, place, raw);
  return nested && isPlain(value) ? adapted(value, raw) : value;
}

function each(value: unknown, change: (one: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : change(value);
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sourceFor(source: PolicySource, raw: Raw): PolicySource {
  return {
    get current() {
      return adapted(source.current, raw);
    },
    subscribe: (listener) => source.subscribe((next) => listener(adapted(next, raw))),
    close: () => source.close(),
  };
}

function through(value: (...args: unknown[]) => unknown, place: number, raw: Raw): unknown {
  return (...args: unknown[]) =>
    value(...args.map((arg, at) => (at === place && arg !== undefined ? raw(arg) : arg)));
}
