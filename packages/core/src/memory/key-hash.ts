import { randomBytes } from "node:crypto";

/** A 64-bit hash: two 32-bit words, the high one first. */
export type Hash = Uint32Array;

/** Writes the hash of a text into `into`. */
export type KeyHash = (text: string, into: Hash) => void;

/**
 * Makes a hash whose key nobody outside knows, so that nobody can look for texts that share a value: HalfSipHash-1-3
 * with 64 bits of answer, over a text's UTF-16 code units. Any two texts share a value with a chance of 1 in 2^64.
 * `key` is 8 bytes, by default random.
 */
export function keyHash(key: Uint8Array = randomBytes(8)): KeyHash {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const k0 = view.getInt32(0, true);
  const k1 = view.getInt32(4, true);

  return (text, into) => {
    let v0 = k0;
    let v1 = k1 ^ 0xee;
    let v2 = k0 ^ 0x6c796765;
    let v3 = k1 ^ 0x74656462;
    const pairs = text.length >> 1;
    // One loop for the pairs, the last word (length and odd unit) and twice three rounds without input: one copy of
    // the round, which an engine does not inline six times over.
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
  };
}

function pairAt(text: string, i: number): number {
  return text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
}

/** The length in bytes, as far as a byte holds it, above the unit that has no partner. */
function lastOf(text: string): number {
  const { length } = text;
  return (length << 25) | (length % 2 === 1 ? text.charCodeAt(length - 1) : 0);
}
