import fc from "fast-check";
import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { packedState } from "../../src/script/packed-state.ts";
import { client, server } from "../support/redis.ts";

/** Reads each string as a state of that many numbers: returns them as strings, or `foreign`. */
const reading = `${packedState}
local n, out = tonumber(ARGV[1]), {}
for i, text in ipairs(KEYS) do
  local ok, s = pcall(unpacked, 'k', text, n)
  if ok then
    for j = 1, n do s[j] = string.format('%.0f', s[j]) end
    if #s ~= n then s = { 'not ' .. n .. ' numbers' } end
  end
  out[i] = ok and table.concat(s, ' ') or 'foreign'
end
return out`;

const writing = `${packedState}
local out = {}
for i, text in ipairs(ARGV) do
  local s = cjson.decode(text)
  out[i] = packed(s, #s)
end
return out`;

/** The most numbers that a state in one piece has: 101 counts of a sliding window, and a ban. */
const most = 109;
const edges = [8, 16, 24, 31, 32, 40, 48, 52, 53].flatMap((bits) =>
  [-2, -1, 0, 1].map((by) => 2 ** bits + by),
);
const number = fc.oneof(
  fc.constantFrom(0, 1, ...edges.filter(Number.isSafeInteger)),
  fc.maxSafeNat(),
  fc.nat(300),
);
const state = fc.oneof(
  fc.array(number, { minLength: 1, maxLength: 12 }),
  fc.array(number, { minLength: 1, maxLength: most }),
);

let redis: Redis;

beforeEach(async () => {
  redis = client((await server()).port);
});

function pack(states: readonly (readonly number[])[]): Promise<Buffer[]> {
  const texts = states.map((each) => JSON.stringify(each));
  return redis.callBuffer("EVAL", writing, 0, ...texts) as unknown as Promise<Buffer[]>;
}

function read(texts: readonly (Buffer | string)[], n: number): Promise<string[]> {
  return redis.call("EVAL", reading, texts.length, ...texts, n) as Promise<string[]>;
}

test("packs and reads any state alike, and takes no other text for one of as many numbers", async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      fc.uint8Array({ minLength: 1, maxLength: 9 }),
      async (numbers, more) => {
        const [packed] = await pack([numbers]);
        const n = numbers.length;
        expect(await read([packed!], n)).toEqual([numbers.join(" ")]);
        const cut = Array.from(packed!, (_, i) => packed!.subarray(0, i));
        const beheaded = Array.from(packed!, (_, i) => packed!.subarray(i + 1));
        const longer = [Buffer.concat([packed!, more]), Buffer.concat([packed!, packed!])];
        for (const told of await read([...cut, ...longer], n)) expect(told).toBe("foreign");
        // A tail may be a state by chance if there are few numbers, never one past 2^53 or of other numbers.
        for (const told of await read(beheaded, n)) {
          if (told === "foreign") continue;
          expect(told.split(" ").map(Number).every(Number.isSafeInteger)).toBe(true);
        }
        const others = [n - 1, n + 1, n + 5, n + 10].filter((count) => count > 0 && count !== n);
        for (const count of others) expect(await read([packed!], count)).toEqual(["foreign"]);
      },
    ),
    { seed: 7, numRuns: 60 },
  );
});

test("never takes a string of ASCII for a state, nor numbers past 2^53, nor a width of none", async () => {
  const ascii = fc.string({ unit: "binary-ascii", maxLength: 90 });
  const texts = fc.sample(ascii, { seed: 8, numRuns: 400 });
  const json = ['{"count":1}', "1", "1700006400000", "[1,2]", "", "\0\0\0\0\0\0\0"];
  for (let n = 1; n <= 14; n++) {
    expect(new Set(await read([...texts, ...json], n))).toEqual(new Set(["foreign"]));
  }
  const tooLarge = Buffer.from([0x80, 7, 0x20, 0, 0, 0, 0, 0, 0]);
  const largest = Buffer.from([0x80, 7, 0x1f, 255, 255, 255, 255, 255, 255]);
  const none = [Buffer.from([0x80, 0]), Buffer.from([0x80, 0, 0])];
  expect(await read([tooLarge, largest, ...none], 1)).toEqual([
    "foreign",
    "9007199254740991",
    "foreign",
    "foreign",
  ]);
});

test("reads foreign bytes as a state of whole numbers below 2^53, or not at all", async () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => {
    const head = each.slice();
    if (head.length > 0) head[0]! |= 0x80;
    return Buffer.from(head);
  });
  const texts = fc.sample(bytes, { seed: 9, numRuns: 3000 });
  for (const n of [1, 2, 4, 5, 6, 9, 10, 11, 14, 104]) {
    for (const told of await read(texts, n)) {
      if (told === "foreign") continue;
      const numbers = told.split(" ").map(Number);
      expect(numbers).toHaveLength(n);
      for (const each of numbers) expect(Number.isSafeInteger(each) && each >= 0).toBe(true);
    }
  }
});
