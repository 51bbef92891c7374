import type { ServerResponse } from "node:http";
import type { Guard } from "./guard.ts";
import { noStore } from "./headers/no-store.ts";
import type { HeaderPair } from "./headers/rate-headers.ts";
import { type Body, jsonBody, outageBody } from "./response/body.ts";
import { isHeadSent } from "./response/head-sent.ts";
import { sendRefusal } from "./response/send.ts";
import type { Usage } from "./usage.ts";

/** The response to a client that asks for its usage. */
export interface UsageAnswer {
  /** 200, or 503 if a store could not answer. */
  readonly status: number;
  /** For the adapter to set. */
  readonly fields: readonly HeaderPair[];
  readonly body: Body;
}

const fields: readonly HeaderPair[] = Object.freeze([noStore]);

/** Returns the usage of a request's client according to the guards' limiters. Rejects if a function of theirs does. */
export async function usageAnswer<Req>(
  guards: readonly Pick<Guard<Req>, "usage">[],
  req: Req,
): Promise<UsageAnswer> {
  const usages = await Promise.all(guards.map((guard) => guard.usage(req)));
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length < usages.length) {
    return { status: 503, fields, body: outageBody("json", { status: 503 }) };
  }
  const policies = known.flatMap((usage) => usage.policies);
  const degraded = known.some((usage) => usage.degraded);
  const usage: Usage = degraded ? { policies, degraded } : { policies };
  return { status: 200, fields, body: jsonBody(JSON.stringify(usage), usage) };
}

/** Sends it on Node's own response; if someone else has begun a response, only ends that. */
export function sendUsage(res: ServerResponse, answer: UsageAnswer): void {
  if (!isHeadSent(res)) for (const [name, value] of answer.fields) res.setHeader(name, value);
  sendRefusal(res, answer);
}
