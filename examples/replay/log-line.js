import { isIP } from "node:net";
import { readLogTime } from "./log-time.js";

/** @typedef {{ client: string; time: number; request: string }} LogLine */

/**
 * Reads a line of a log in common or combined format, whatever stands behind: the client's address,
 * the time in epoch milliseconds, and the request's method and path. A request that is none (a scan, a
 * connection that broke off) is `GET /`. Answers a text that says what is missing where the line does
 * not fit. Takes no longer than the line is long, whatever it holds.
 *
 * @param {string} line
 * @returns {LogLine | string}
 */
export function readLogLine(line) {
  const afterClient = line.indexOf(" ");
  const client = line.slice(0, afterClient < 0 ? line.length : afterClient);
  if (isIP(client) === 0) return `no address at its start: ${excerpt(line)}`;

  const bracket = timeBracket(line, afterClient);
  const time = bracket < 0 ? undefined : readLogTime(line.slice(bracket + 1, bracket + 27));
  if (time === undefined) return `no time such as [31/Dec/2025:23:59:59 +0000]: ${excerpt(line)}`;

  const quote = bracket + 29;
  const unquote = line.startsWith(' "', bracket + 28) ? closingQuote(line, quote + 1) : -1;
  if (unquote < 0) return `no request in quotes behind the time: ${excerpt(line)}`;

  outcome.lastIndex = unquote + 1;
  if (!outcome.test(line)) return `no status and size behind the request: ${excerpt(line)}`;
  return { client, time, request: requestOf(line.slice(quote + 1, unquote)) };
}

const outcome = / (?:\d{3}|-) (?:\d+|-)(?= |$)/y;
const request = /^([A-Z]{1,20}) (\/[^\s?#]*)/;

/**
 * Finds where the time's bracket opens; the user before it may be any text, blanks and brackets too.
 *
 * @param {string} line
 * @param {number} from
 */
function timeBracket(line, from) {
  let at = line.indexOf(" [", from);
  while (at >= 0 && (line[at + 28] !== "]" || line[at + 4] !== "/"))
    at = line.indexOf(" [", at + 1);
  return at < 0 ? at : at + 1;
}

/**
 * Finds the quote that ends a text in which servers write quotes as \" or \x22.
 *
 * @param {string} line
 * @param {number} from
 */
function closingQuote(line, from) {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    let slash = at;
    while (slash > from && line[slash - 1] === "\\") slash--;
    if ((at - slash) % 2 === 0) return at;
  }
  return -1;
}

/** @param {string} text */
function requestOf(text) {
  const [, method, path] = request.exec(text) ?? [];
  return path === undefined ? "GET /" : `${method} ${path}`;
}

/** @param {string} line */
function excerpt(line) {
  const start = line.slice(0, 60).replace(/[^\x20-\x7e]/g, "?");
  return line.length > 60 ? `${start}...` : start;
}
