import type { HeaderPair } from "./rate-headers.ts";

/** Keeps an answer, which is true for one client at one time, from being kept (RFC 9111, section 5.2.2.5). */
export const noStore: HeaderPair = Object.freeze(["Cache-Control", "no-store"] as const);
