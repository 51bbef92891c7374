import { nearestInCode } from "./nearest.ts";

/** The options of policies and limiters that need a request over HTTP. */
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

/** Says of a name that no option has without HTTP which one it is, or means, over HTTP; "" where it is none. */
export function onlyOverHttp(name: string): string {
  const meant = nearestInCode(name, overHttp);
  if (meant === "") return "";
  const who = meant === name ? "it is an option" : `did you mean ${meant}? It is an option`;
  const instead = meant === "key" ? "; without it, the key is the argument of check" : "";
  return ` (${who} only over HTTP${instead})`;
}
