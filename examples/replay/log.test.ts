import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { longestLine, readLines } from "./lines.js";
import { unzipped } from "./unzipped.js";

describe("the lines of a stream", () => {
  it.each([
    ["nothing", "", []],
    ["one line", "a", ["a"]],
    ["ended lines", "a\nb\n", ["a", "b"]],
    ["an open end", "a\nb", ["a", "b"]],
    ["empty lines", "\n\na\n\n", ["", "", "a", ""]],
    ["lines of Windows", "a\r\nb\r\n\r\nc", ["a", "b", "", "c"]],
    ["other ends within", "a\rb\u0085c\n", ["a\rb\u0085c"]],
  ])("are the same however it is cut: %s", async (_, text, lines) => {
    for (let size = 1; size <= text.length + 1; size++) {
      expect(await linesOf(cut(Buffer.from(text, "latin1"), size))).toEqual(lines);
    }
  });

  it("keep each byte as one character", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i).filter((byte) => byte !== 10);
    const [line] = await linesOf(cut(bytes, 7));
    expect(Buffer.from(line!, "latin1")).toEqual(Buffer.from(bytes));
  });

  it("are cut where they are longer than anything real", async () => {
    const long = "x".repeat(longestLine + 10);
    for (const size of [1000, longestLine, 10 * longestLine]) {
      const lines = await linesOf(cut(Buffer.from(`${long}\nshort\n${long}`), size));
      expect(lines.map((line) => line.length)).toEqual([longestLine, 5, longestLine]);
    }
  });

  it("keep no more of an endless line than its beginning", async () => {
    const piece = Buffer.alloc(1_000_000, "x");
    const lines = await linesOf(Array.from({ length: 500 }, () => piece));
    expect(lines).toEqual(["x".repeat(longestLine)]);
  });
});

describe("a stream that may be compressed", () => {
  const text = Buffer.from("first\nsecond\n".repeat(1000));

  it.each([1, 2, 3, 1000, 100_000])("reads the same in pieces of %i", async (size) => {
    expect(await bytesOf(unzipped(stream(cut(text, size))))).toEqual(text);
    expect(await bytesOf(unzipped(stream(cut(gzipSync(text), size))))).toEqual(text);
  });

  it("reads files that were put one behind the other", async () => {
    const both = Buffer.concat([gzipSync(text), gzipSync("third\n")]);
    const whole = Buffer.concat([text, Buffer.from("third\n")]);
    expect(await bytesOf(unzipped(stream([both])))).toEqual(whole);
  });

  it("reads nothing, and what is too short to tell", async () => {
    expect(await bytesOf(unzipped(stream([])))).toEqual(Buffer.alloc(0));
    expect(await bytesOf(unzipped(stream([Buffer.from([0x1f])])))).toEqual(Buffer.from([0x1f]));
  });

  it("fails where it breaks off, is damaged, or its source fails", async () => {
    const whole = gzipSync(text);
    const damaged = Buffer.from(whole);
    damaged[12]! ^= 0xff;
    await expect(bytesOf(unzipped(stream([whole.subarray(0, 30)])))).rejects.toThrow();
    await expect(bytesOf(unzipped(stream([damaged])))).rejects.toThrow();
    async function* failing() {
      yield whole.subarray(0, 30);
      throw new Error("The disk is gone");
    }
    await expect(bytesOf(unzipped(failing()))).rejects.toThrow("The disk is gone");
  });
});

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function linesOf(pieces: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  await readLines(stream(pieces), (line) => lines.push(line));
  return lines;
}

async function bytesOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}
