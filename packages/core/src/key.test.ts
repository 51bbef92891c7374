import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "./errors.ts";
import { digest, storeKey } from "./key.ts";

describe("storeKey", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.string({ unit: "grapheme-ascii", minLength: 150, maxLength: 250 }),
    fc.string({ minLength: 1 }).map((rest) => `#${rest}`),
  );

  it.each(["a", "user:42", "ip:192.0.2.1", " ", "~", "k".repeat(200), "__proto__", "{tag}:*?%"])(
    "keeps %j as it is",
    (key) => {
      expect(storeKey(key)).toBe(key);
    },
  );

  it.each(["k".repeat(201), "a\nb", "\0", "é", "漢字", "\ud83d", "\x7f", "#", "#abc"])(
    "hides %j behind its hash",
    (key) => {
      expect(storeKey(key)).toMatch(/^#[\w-]{43}$/);
      expect(storeKey(key)).toBe(`#${digest(key)}`);
    },
  );

  it("says how to make a number a key", () => {
    expect(() => storeKey(42)).toThrow(
      "key: expected a non-empty string (convert numbers: String(id)), received 42",
    );
  });

  it.each([undefined, null, "", 7, 0, Number.NaN, true, {}, ["a"], () => "a", Symbol("a"), 7n])(
    "refuses %s",
    (key) => {
      expect(() => storeKey(key)).toThrow(ConfigError);
      expect(() => storeKey(key)).toThrow(
        /^key: expected a non-empty string( \(convert numbers: String\(id\)\))?, received /,
      );
    },
  );

  it("tells any two texts apart that are no hashes, and stays short and printable", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(storeKey(one) === storeKey(other)).toBe(one === other);
        expect(storeKey(one)).toMatch(/^[\x20-\x7e]{1,200}$/);
      }),
    );
  });

  it("keeps the key that it made, by which hooks and keyOf call a client", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(storeKey(storeKey(one))).toBe(storeKey(one));
      }),
    );
  });
});

describe("digest", () => {
  it("is SHA-256, over halves of surrogates too", () => {
    const bytes = Buffer.from([0x61, 0x00]);
    expect(digest("a")).toBe(createHash("sha256").update(bytes).digest("base64url"));
    expect(digest("\ud83d")).not.toBe(digest("\ud83e"));
    expect(digest("\ufffd")).not.toBe(digest("\ud83d"));
  });
});
