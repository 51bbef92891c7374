import type { Policy } from "../../policy.ts";
import { assert } from "../assert.ts";
import { plainStore } from "../plain-store.ts";
import { replay, type Trace, traces } from "../traces.ts";
import type { StoreTest } from "./fixtures.ts";

/** Tests of random traces. */
export const storyTests: readonly StoreTest[] = [
  [
    "tells the same stories as the plainest store",
    async (store, clock) => {
      for (const [i, trace] of traces({ count: 20 }).entries()) {
        const told = await replay(renamed(trace, `story ${i}`), store, clock);
        const expected = await replay(trace, plainStore({ clock }), clock);
        assert.deepEqual(told, expected, `trace of seed ${trace.seed}`);
      }
    },
  ],
];

/** Renames the policies of a trace, for a store that has played others. */
function renamed(trace: Trace, name: string): Trace {
  const rename = (policy: Policy): Policy => ({ ...policy, space: `${name} ${policy.space}` });
  const steps = trace.steps.map((step) =>
    step.does === "change" ? { ...step, to: rename(step.to) } : step,
  );
  return { ...trace, policies: trace.policies.map(rename), steps };
}
