import { readLines } from "./lines.js";
import { readLogLine } from "./log-line.js";
import { unzipped } from "./unzipped.js";

/**
 * Records the requests of a log. Lines that are none are counted, and empty ones are not. Rejects
 * where the bytes cannot be read to their end.
 *
 * @param {string} name of the log, for those who want to see a line that is none
 * @param {AsyncIterable<Uint8Array>} bytes
 * @param {import("./tape.js").Tape} tape
 */
export async function readLog(name, bytes, tape) {
  let number = 0;
  await readLines(unzipped(bytes), (line) => {
    number++;
    if (line === "") return;
    const entry = readLogLine(line);
    if (typeof entry === "string") tape.skip(`${name}, line ${number}: ${entry}`);
    else tape.record(entry);
  });
}
