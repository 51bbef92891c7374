import { parseArgs } from "node:util";
import { rateLimit } from "@spillway/express";

export const usage = `Usage: node replay.js [options] [log ...]

Plays web access logs (common or combined format, .gz too; - or none: standard input)
through an Express application, and tells whom a policy would refuse.

  --limit N          whole units per window (60)
  --window TIME      milliseconds, or such as 10s, 1m, 1h, 1d; day or month with fixed-window (1m)
  --algorithm NAME   sliding-window, fixed-window, sliding-log, token-bucket, leaky-bucket (sliding-window)
  --burst N          buckets: the most units at once (the limit)
  --segments N       sliding-window: how many sub-windows (1)
  --align WHERE      fixed-window: clock or first-request (clock)
  --top N            how many of the hardest hit clients to name (10)
  --json             prints the report as JSON
  --help             prints this
`;

/**
 * Reads the arguments of the command. Answers a text that says what is wrong with them where they
 * do not fit.
 *
 * @param {readonly string[]} args
 * @returns {Options | string}
 */
export function readOptions(args) {
  try {
    const { values, positionals } = parse(args);
    const { limit = "60", window = "1m", burst, segments, top = "10" } = values;
    const policy = /** @type {Policy} */ ({
      limit: whole("limit", limit),
      window: /^\d+$/.test(window) ? Number(window) : window,
      algorithm: values.algorithm ?? "sliding-window",
      ...(burst === undefined ? {} : { burst: whole("burst", burst) }),
      ...(segments === undefined ? {} : { segments: whole("segments", segments) }),
      ...(values.align === undefined ? {} : { align: values.align }),
      // a held request would wait by the machine's clock, not by the log's
      ...(values.algorithm === "leaky-bucket" ? { delay: false } : {}),
    });
    rateLimit(policy);
    const { json = false, help = false } = values;
    return { files: positionals, policy, top: whole("top", top), json, help };
  } catch (error) {
    return explain(error);
  }
}

/**
 * @typedef {object} Policy
 * @property {number} limit
 * @property {import("@spillway/core").Duration | "day" | "month"} window
 * @property {import("@spillway/core").AlgorithmName} algorithm
 * @property {number} [burst]
 * @property {number} [segments]
 * @property {"clock" | "first-request"} [align]
 * @property {boolean} [delay]
 */
/** @typedef {{ files: string[]; policy: Policy; top: number; json: boolean; help: boolean }} Options */

/** @param {readonly string[]} args */
function parse(args) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      limit: { type: "string" },
      window: { type: "string" },
      algorithm: { type: "string" },
      burst: { type: "string" },
      segments: { type: "string" },
      align: { type: "string" },
      top: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}

/**
 * @param {string} option
 * @param {string} text
 */
function whole(option, text) {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new TypeError(`--${option}: expected a whole number, received ${JSON.stringify(text)}`);
}

/** @param {unknown} error */
function explain(error) {
  const { code, issues, message } = /** @type {Problem} */ (error);
  if (code !== "ERR_INVALID_CONFIG" || !issues) return message;
  return issues
    .map(({ path, expected, received }) => `--${path}: expected ${expected}, received ${received}`)
    .join("\n");
}

/** @typedef {Error & { code?: string; issues?: import("@spillway/core").ConfigIssue[] }} Problem */
