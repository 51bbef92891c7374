import { randomBytes } from "node:crypto";

/** A 64-bit hash: two 32-bit words, the high one first. */
export type Hash = Int32Array;

/** Random per process, so that nobody outside can search for keys that share a hash. */
const secret: Int32Array = new Int32Array(new Uint8Array(randomBytes(8)).buffer);

/**
 * Writes the hash of a string into `into`: HalfSipHash-1-3 with 64 bits of output, over the UTF-16 code units. Without
 * the secret, any two strings share a hash with a probability of 1 in 2^64.
 */
export function hashKey(text: string, into: Hash, key: Int32Array = secret): void {
  let v0 = key[0]!;
  let v1 = key[1]! ^ 0xee;
  let v2 = v0 ^ 0x6c796765;
  let v3 = key[1]! ^ 0x74656462;
  const pairs = text.length >> 1;
  // One loop for the pairs, the last word (length and odd unit) and two times three rounds without input: a single copy
  // of the round, which an engine does not inline six times.
  for (let i = 0; i < pairs + 7; i++) {
    const word = i < pairs ? pairAt(text, i << 1) : i === pairs ? lastOf(text) : 0;
    if (i === pairs + 1) v2 ^= 0xee;
    if (i === pairs + 4) {
      into[0] = v1 ^ v3;
      v1 ^= 0xdd;
    }
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  into[1] = v1 ^ v3;
}

function pairAt(text: string, i: number): number {
  return text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
}

/** Returns the length in bytes, modulo 256, above the unpaired unit if any. */
function lastOf(text: string): number {
  const { length } = text;
  return (length << 25) | (length % 2 === 1 ? text.charCodeAt(length - 1) : 0);
}
