import fc, { type Arbitrary } from "fast-check";
import { type Ban, banOf } from "../../src/policies/ban.ts";
import type { Policy } from "../../src/policy.ts";
import { resized, type Specimen, specimens } from "./specimens.ts";

/** Bans short enough to check every millisecond. */
export const bans: Arbitrary<Ban> = fc
  .record({
    after: fc.integer({ min: 1, max: 4 }),
    within: fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
    for: fc.integer({ min: 1, max: 40 }),
    factor: fc.constantFrom(1, 1, 1.5, 2, 3),
    more: fc.integer({ min: 0, max: 90 }),
    extend: fc.boolean(),
  })
  .map(({ more, ...ban }) => banOf({ ...ban, ceiling: ban.for + more }));

/** Every way to limit, with bans. */
export const bannedSpecimens: readonly Specimen[] = specimens.map((specimen) => ({
  ...specimen,
  name: `${specimen.name} with bans`,
  policy: banned(specimen, specimen.policy),
  successor: (policy) => banned(specimen, specimen.successor(policy)),
  longestWait: (policy) => Math.max(specimen.longestWait(policy), policy.ban!.durations.at(-1)!),
}));

function banned({ most }: Specimen, policies: Arbitrary<Policy>): Arbitrary<Policy> {
  return fc
    .tuple(policies, bans)
    .map(([policy, ban]) => resized(policy, policy.limit, most(policy), ban));
}
