/** How many bytes of a line are kept: no log can fill the memory with one. */
export const longestLine = 65_536;

const lineFeed = 0x0a;

/**
 * Calls back with every line, in order, without its end (LF or CR LF); the last line needs none. Bytes
 * become characters one for one, so that nothing in a log can be read wrongly or fail.
 *
 * @param {AsyncIterable<Uint8Array>} bytes
 * @param {(line: string) => void} onLine
 */
export async function readLines(bytes, onLine) {
  let begun = "";
  for await (const bare of bytes) {
    const chunk = Buffer.from(bare.buffer, bare.byteOffset, bare.byteLength);
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      onLine(ended(begun + textOf(chunk, from, end, begun.length)));
      begun = "";
      from = end + 1;
    }
    begun += textOf(chunk, from, chunk.length, begun.length);
  }
  if (begun !== "") onLine(ended(begun));
}

/**
 * @param {Buffer} chunk
 * @param {number} from
 * @param {number} to
 * @param {number} kept how much of the line was kept before
 */
function textOf(chunk, from, to, kept) {
  return chunk.toString("latin1", from, Math.min(to, from + longestLine - kept));
}

/** @param {string} line */
function ended(line) {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
