import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * Answers the bytes themselves, or what they are the gzip of, by how they begin and not by a name.
 *
 * @param {AsyncIterable<Uint8Array>} bytes
 * @returns {AsyncIterable<Uint8Array>}
 */
export async function* unzipped(bytes) {
  const chunks = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const whole = from(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* whole;
  const gunzip = createGunzip();
  // failures of the source reach whoever reads what is unzipped
  pipeline(Readable.from(whole), gunzip, () => {});
  yield* gunzip;
}

/**
 * @param {Uint8Array} head
 * @param {AsyncIterator<Uint8Array>} rest
 */
async function* from(head, rest) {
  if (head.length > 0) yield head;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}
