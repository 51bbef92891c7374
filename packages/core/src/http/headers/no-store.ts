import type { HeaderPair } from "./rate-headers.ts";

/** Prevents caching of a response that is true for one client at one time (RFC 9111, section 5.2.2.5). */
export const noStore: HeaderPair = Object.freeze(["Cache-Control", "no-store"] as const);
