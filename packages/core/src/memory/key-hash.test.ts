import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { hashKey } from "./key-hash.ts";

const key = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]);

describe("the plain HalfSipHash of this test", () => {
  it.each([
    [0, "218d1f59b9b83cc8"],
    [1, "be552412f8387315"],
  ])("agrees with the published vector of %i bytes", (length, expected) => {
    const bytes = Uint8Array.from({ length }, (_, i) => i);
    expect(Buffer.from(halfSipHash(bytes, key, 2, 4).buffer).toString("hex")).toBe(expected);
  });
});

describe("hashKey", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ maxLength: 200 }),
  );

  it("is HalfSipHash-1-3 of a string's UTF-16 code units", () => {
    const secret = fc.uint8Array({ minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(secret, text, (bytes, given) => {
        const expected = halfSipHash(Buffer.from(given, "utf16le"), bytes, 1, 3);
        expect(hashOf(given, bytes)).toEqual([...expected]);
      }),
    );
  });

  it("answers the same for every way a string was put together", () => {
    const whole = "user:1234567890:abcdefghijklmnopqrstuvwxyz";
    const sliced = `<<${whole}>>`.slice(2, -2);
    const joined = ["user:", "1234567890:", "abcdefghijklmnopqrstuvwxyz"].reduce((a, b) => a + b);
    expect(hashOf(sliced, key)).toEqual(hashOf(whole, key));
    expect(hashOf(joined, key)).toEqual(hashOf(whole, key));
  });

  it("takes another secret in every process", async () => {
    const [one, other] = [new Int32Array(2), new Int32Array(2)];
    hashKey("a", one);
    vi.resetModules();
    const { hashKey: elsewhere } = await import("./key-hash.ts");
    elsewhere("a", other);
    expect(one).not.toEqual(other);
  });

  it("tells a hundred thousand near texts apart, and spreads them evenly", () => {
    const secret = secretOf(key);
    const into = new Int32Array(2);
    const seen = new Set<bigint>();
    const homes = new Array<number>(256).fill(0);
    const last = new Array<number>(256).fill(0);
    for (let i = 0; i < 100_000; i++) {
      hashKey(`user:${i}`, into, secret);
      seen.add((BigInt(into[0]!) << 32n) ^ BigInt(into[1]!));
      homes[into[0]! >>> 24]!++;
      last[into[1]! & 0xff]!++;
    }
    expect(seen.size).toBe(100_000);
    // 390.6 are expected of each, with a deviation of 19.7; the key is fixed.
    for (const count of [...homes, ...last]) expect(Math.abs(count - 390.6)).toBeLessThan(5 * 19.7);
  });
});

function hashOf(text: string, secret: Uint8Array): number[] {
  const into = new Int32Array(2);
  hashKey(text, into, secretOf(secret));
  return [...into];
}

function secretOf(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return Int32Array.of(view.getInt32(0, true), view.getInt32(4, true));
}

/** The function as defined by its authors: bytes, `c` rounds per word and `d` at the end. */
function halfSipHash(bytes: Uint8Array, secret: Uint8Array, c: number, d: number): Int32Array {
  const view = new DataView(secret.buffer, secret.byteOffset, 8);
  const [k0, k1] = [view.getUint32(0, true), view.getUint32(4, true)];
  const v = Uint32Array.of(k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1);
  const rounds = (n: number): void => {
    for (let i = 0; i < n; i++) {
      mix(v, 0, 1, 5);
      v[0] = turned(v[0]!, 16);
      mix(v, 2, 3, 8);
      mix(v, 0, 3, 7);
      mix(v, 2, 1, 13);
      v[2] = turned(v[2]!, 16);
    }
  };
  const words: number[] = [];
  for (let i = 0; i + 4 <= bytes.length; i += 4) words.push(Buffer.from(bytes).readUInt32LE(i));
  let last = bytes.length << 24;
  for (let i = bytes.length & ~3; i < bytes.length; i++) last |= bytes[i]! << (8 * (i & 3));
  for (const word of [...words, last]) {
    v[3]! ^= word;
    rounds(c);
    v[0]! ^= word;
  }
  v[2]! ^= 0xee;
  rounds(d);
  const high = v[1]! ^ v[3]!;
  v[1]! ^= 0xdd;
  rounds(d);
  return Int32Array.of(high, v[1]! ^ v[3]!);
}

function mix(v: Uint32Array, a: number, b: number, by: number): void {
  v[a]! += v[b]!;
  v[b] = turned(v[b]!, by) ^ v[a]!;
}

function turned(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
