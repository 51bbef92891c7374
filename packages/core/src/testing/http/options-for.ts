import type { IncomingMessage } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import type { OptionsFor } from "./app.ts";

/** Turns options whose functions take Node's request into options for any framework. */
export function optionsFor(options: HttpOptions<IncomingMessage>): OptionsFor {
  return <Req>(raw: (req: Req) => IncomingMessage) =>
    adapted(options, (req) => raw(req as Req)) as HttpOptions<Req>;
}

/** Options whose functions take a request, and where they take it. */
const places: Readonly<Record<string, number>> = {
  limit: 0,
  key: 0,
  cost: 0,
  skip: 0,
  refund: 1,
  body: 1,
  onDecision: 1,
  onRefused: 1,
  onFirstRefused: 1,
  onError: 1,
};

function adapted(options: object, raw: (req: unknown) => unknown): object {
  return Object.fromEntries(
    Object.entries(options).map(([option, value]) => {
      if (option === "policies") {
        return [option, (value as object[]).map((policy) => adapted(policy, raw))];
      }
      const place = places[option];
      if (place === undefined) return [option, value];
      const all = Array.isArray(value);
      return [
        option,
        all ? value.map((one) => through(one, place, raw)) : through(value, place, raw),
      ];
    }),
  );
}

function through(value: unknown, place: number, raw: (req: unknown) => unknown): unknown {
  if (typeof value !== "function") return value;
  return (...args: unknown[]) =>
    value(...args.map((arg, at) => (at === place && arg !== undefined ? raw(arg) : arg)));
}
