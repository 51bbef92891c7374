import { createReadStream } from "node:fs";
import { readLog } from "./log.js";
import { readOptions, usage } from "./options.js";
import { play } from "./play.js";
import { reportOf, toText } from "./report.js";
import { createTape } from "./tape.js";

/**
 * Runs the command and answers its exit code: 0, 1 where a log cannot be read, 2 for options that do
 * not fit.
 *
 * @param {readonly string[]} args
 * @param {{ stdin: Input; stdout: Output; stderr: Output }} streams
 * @returns {Promise<number>}
 */
export async function command(args, { stdin, stdout, stderr }) {
  const fail = (/** @type {number} */ code, /** @type {string} */ message) => {
    stderr.write(`replay: ${message}\n`);
    return code;
  };
  const options = readOptions(args);
  if (typeof options === "string") return fail(2, `${options}\nTry --help.`);
  if (options.help) {
    stdout.write(usage);
    return 0;
  }
  if (options.files.length === 0 && stdin.isTTY) {
    return fail(2, "name a log, or pipe one in.\nTry --help.");
  }

  const tape = createTape();
  for (const file of options.files.length > 0 ? options.files : ["-"]) {
    const [name, bytes] = file === "-" ? ["standard input", stdin] : [file, createReadStream(file)];
    try {
      await readLog(name, bytes, tape);
    } catch (error) {
      return fail(1, `cannot read ${name}: ${/** @type {Error} */ (error).message}`);
    }
  }
  const report = reportOf(options.policy, tape, await play(tape, options.policy), options.top);
  stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));
  return 0;
}

/** @typedef {AsyncIterable<Uint8Array> & { readonly isTTY?: boolean }} Input */
/** @typedef {{ write(text: string): unknown }} Output */
