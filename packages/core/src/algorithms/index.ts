import type { Algorithm } from "../algorithm.ts";
import { banned, banSlots } from "./banned.ts";
import { fixedWindow } from "./fixed-window.ts";
import { leakyBucket } from "./leaky-bucket.ts";
import { slidingLog, slidingLogFrom } from "./sliding-log.ts";
import { slidingWindow } from "./sliding-window.ts";
import { tokenBucket } from "./token-bucket.ts";

/** The algorithms by the names used in policies. */
export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = {
  "sliding-window": slidingWindow,
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
  "leaky-bucket": leakyBucket,
};

/** The same with bans. */
export const banningAlgorithms: Readonly<Record<AlgorithmName, Algorithm>> = {
  "sliding-window": banned(slidingWindow),
  "fixed-window": banned(fixedWindow),
  "sliding-log": banned(slidingLogFrom(banSlots), 4),
  "token-bucket": banned(tokenBucket),
  "leaky-bucket": banned(leakyBucket),
};

/** The values of the `algorithm` option. */
export type AlgorithmName =
  | "sliding-window"
  | "fixed-window"
  | "sliding-log"
  | "token-bucket"
  | "leaky-bucket";
