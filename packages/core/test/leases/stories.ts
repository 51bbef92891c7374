import fc from "fast-check";
import type { PolicyOptions } from "../../src/index.ts";

const limit = fc.constantFrom(0, 1, 7, 40, 100, 500);
const window = fc.constantFrom("1m" as const, "1h" as const);
const sizes = fc.oneof(
  fc.record({
    algorithm: fc.constant("fixed-window" as const),
    align: fc.constantFrom("clock" as const, "first-request" as const),
    limit,
    window,
  }),
  fc.record({
    algorithm: fc.constant("fixed-window" as const),
    limit,
    window: fc.constant("day" as const),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      algorithm: fc.constantFrom("sliding-window", "token-bucket", "sliding-log" as const),
      limit,
      window,
    }),
  },
);
const kinds = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.constantFrom(
    { shadow: true },
    { countRefused: true },
    { ban: { after: 3, for: "1m" as const } },
  ),
);

/** A policy in the options of a limiter that has several. */
export type NamedPolicy = PolicyOptions & { readonly name: string };

/** Policies of a limiter, most of which can be leased. */
export const policies: fc.Arbitrary<NamedPolicy[]> = fc
  .array(fc.tuple(sizes, kinds), { minLength: 1, maxLength: 3 })
  .map((list) => list.map(([size, kind], i) => ({ ...size, ...kind, name: `p${i}` })));

/** What happens to a limiter; `nth` counts its decisions. */
export type Step =
  | { do: "check"; key: string; cost: number; times: number }
  | { do: "peek"; key: string; cost: number }
  | { do: "reset"; key: string }
  | { do: "settle"; nth: number; to: number }
  | { do: "give"; nth: number }
  | { do: "resize"; limit: number; window: "1m" | "2m" };

const key = fc.constantFrom("a", "b");
const nth = fc.nat(999);
const cost = fc.oneof(
  { weight: 8, arbitrary: fc.constant(1) },
  fc.nat(12),
  fc.constantFrom(50, 200, 1000),
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  weighing(12, {
    do: fc.constant("check" as const),
    key,
    cost,
    times: fc.constantFrom(1, 3, 10, 40),
  }),
  weighing(2, { do: fc.constant("peek" as const), key, cost: fc.nat(12) }),
  weighing(1, { do: fc.constant("reset" as const), key }),
  weighing(3, { do: fc.constant("settle" as const), nth, to: fc.nat(14) }),
  weighing(3, { do: fc.constant("give" as const), nth }),
  weighing(1, {
    do: fc.constant("resize" as const),
    limit: fc.constantFrom(5, 30, 100, 300),
    window: fc.constantFrom("1m" as const, "2m" as const),
  }),
);

function weighing<T>(weight: number, model: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return { weight, arbitrary: fc.record(model) };
}
