import { createLimiter, type Decision, memoryStore } from "@spillway/core";
import * as http from "@spillway/core/http";
import { readPolicyFile, watchPolicies } from "@spillway/core/policy-file";
import { manualClock } from "@spillway/core/testing";

const limiter = createLimiter({
  limit: 100,
  window: "1m",
  store: memoryStore({ clock: manualClock() }),
});

export async function decide(): Promise<Decision> {
  const decision = await limiter.check("user:42", { cost: 3 });
  return decision.allowed ? decision : limiter.peek("user:42");
}

export async function limited(path: string): Promise<Decision> {
  return createLimiter(await readPolicyFile(path, { http: false })).check("user:42");
}

export const source: typeof watchPolicies = watchPolicies;

export const shared: object = http;

// @ts-expect-error an unknown option is an error
createLimiter({ limit: 100, window: "1m", maximum: 3 });
// @ts-expect-error a limit is needed
createLimiter({ window: "1m" });
