import { nearestInCode } from "./nearest.ts";

/** Options of policies and limiters that need an HTTP request. */
export const overHttp: readonly string[] = [
  "key",
  "unidentified",
  "unverifiedCeiling",
  "count",
  "refund",
  "resetOn",
  "action",
  "maxDelay",
  "headers",
  "reset",
  "body",
  "status",
  "trustProxy",
  "ipv6Prefix",
  "exposeHeaders",
  "throw",
  "maxHeld",
  "allow",
  "deny",
  "denyStatus",
];

/** Returns a hint that an unknown name is an option over HTTP only, or means one; "" when neither. */
export function onlyOverHttp(name: string): string {
  const meant = nearestInCode(name, overHttp);
  if (meant === "") return "";
  const who = meant === name ? "it is an option" : `did you mean ${meant}? It is an option`;
  const instead = meant === "key" ? "; without it, the key is the argument of check" : "";
  return ` (${who} only over HTTP${instead})`;
}
