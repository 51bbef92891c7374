import type { Algorithm } from "../algorithm.ts";
import { fixedWindow } from "./fixed-window.ts";
import { leakyBucket } from "./leaky-bucket.ts";
import { slidingLog } from "./sliding-log.ts";
import { slidingWindow } from "./sliding-window.ts";
import { tokenBucket } from "./token-bucket.ts";

/** Every algorithm under the name that a policy gives. */
export const algorithms: Readonly<Record<AlgorithmName, Algorithm>> = {
  "sliding-window": slidingWindow,
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
  "leaky-bucket": leakyBucket,
};

/** The names that the option `algorithm` takes. */
export type AlgorithmName =
  | "sliding-window"
  | "fixed-window"
  | "sliding-log"
  | "token-bucket"
  | "leaky-bucket";
