import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "../errors.ts";
import { checkOptions } from "./check-options.ts";
import { expecting } from "./expecting.ts";

const small = expecting("a number below 10", (v) => typeof v === "number" && v < 10);
const schema = z.strictObject({
  limit: small,
  window: small.optional(),
  parts: z
    .array(z.strictObject({ share: small, name: z.string().optional() }))
    .min(1)
    .optional(),
  tiers: z
    .unknown()
    .pipe(z.record(z.string(), z.strictObject({ share: small.optional() })))
    .optional(),
});

describe("checkOptions", () => {
  it.each([{ limit: 1 }, { limit: 1, window: undefined }, { limit: 1, parts: [{ share: 2 }] }])(
    "lets %j in",
    (options) => {
      expect(checkOptions(schema, options)).toEqual(options);
    },
  );

  it.each<[options: unknown, message: string]>([
    [{ limit: 10 }, "limit: expected a number below 10, received 10"],
    [{ limit: "1" }, 'limit: expected a number below 10, received "1"'],
    [{}, "limit: expected a number below 10, received undefined"],
    [undefined, "options: expected an object, received undefined"],
    [null, "options: expected an object, received null"],
    [5, "options: expected an object, received 5"],
    [[], "options: expected an object, received an array of 0"],
    [{ limit: 1, parts: [] }, "parts: expected at least 1 of them, received an array of 0"],
    [{ limit: 1, parts: {} }, "parts: expected an array, received an object"],
    [
      { limit: 1, parts: [{ share: 1 }, { share: 11 }] },
      "parts[1].share: expected a number below 10, received 11",
    ],
    [
      { limit: 1, windw: 5 },
      "windw: expected a known option (did you mean window?), received 5 under this name",
    ],
    [
      { limit: 1, Limit: 5 },
      "Limit: expected a known option (did you mean limit?), received 5 under this name",
    ],
    [
      { limit: 1, zzzzzz: 5 },
      "zzzzzz: expected a known option: limit, window, parts or tiers, received 5 under this name",
    ],
    [
      { limit: 1, parts: [{ share: 1, nam: "a" }] },
      'parts[0].nam: expected a known option (did you mean name?), received "a" under this name',
    ],
    [
      { limit: 1, max: 5 },
      "max: expected a known option (did you mean limit?), received 5 under this name",
    ],
    [
      { limit: 1, message: 5 },
      "message: expected a known option: limit, window, parts or tiers, received 5 under this name",
    ],
    [
      { limit: 1, tiers: { gold: { shre: 5 } } },
      "tiers.gold.shre: expected a known option (did you mean share?), received 5 under this name",
    ],
    [
      { limit: 1, duration: 60 },
      'duration: expected a known option (did you mean window, in milliseconds or as "60s"?), received 60',
    ],
    [
      { limit: 1, parts: [{ share: 1, window: 5 }] },
      "parts[0].window: expected a known option here (it stands beside parts), received 5 under this name",
    ],
    [
      { limit: 1, share: 5 },
      "share: expected a known option here (it stands in each of parts), received 5 under this name",
    ],
  ])("refuses %j", (options, message) => {
    expect(() => checkOptions(schema, options)).toThrow(ConfigError);
    expect(() => checkOptions(schema, options)).toThrow(message);
  });

  it("does not say that what was called by another name is missing", () => {
    const issuesOf = (options: object) => {
      try {
        checkOptions(schema, options);
      } catch (error) {
        return (error as ConfigError).issues.map(({ path }) => path);
      }
      return undefined;
    };
    expect(issuesOf({ max: 5 })).toEqual(["max"]);
    expect(issuesOf({ lmit: 5, windw: 5 })).toEqual(["lmit", "windw"]);
    expect(issuesOf({ limit: "5", lmit: 5 })).toEqual(["limit", "lmit"]);
    expect(issuesOf({ windw: 5 })).toEqual(["limit", "windw"]);
  });

  it("says everything at once", () => {
    const check = () => checkOptions(schema, { limit: "x", window: 12, wndow: 1, lmit: 1 });
    expect(check).toThrow(/limit: .*; window: .*; wndow: .*window\?.*; lmit: .*limit\?/);
  });

  it("says of options of something else what they are, where nothing here is near", () => {
    const elsewhere = (name: string) => (name === "key" ? " (it is one elsewhere)" : "");
    const check = (options: object) => () => checkOptions(schema, options, "", elsewhere);
    expect(check({ limit: 1, key: 5 })).toThrow(/^key: expected a known option \(it is one else/);
    expect(check({ limit: 1, windw: 5 })).toThrow("did you mean window?");
    expect(check({ limit: 1, parts: [{ share: 1, key: 5 }] })).toThrow("it is one elsewhere");
    expect(check({ limit: 1, tiers: { a: { key: 5 } } })).toThrow("known option: share, rec");
  });

  it("names what there is only where that is read", () => {
    const many = z.strictObject(Object.fromEntries("abcdefghi".split("").map((n) => [n, small])));
    expect(() => checkOptions(many, { zzzzzz: 1 })).toThrow("expected a known option, received 1");
  });

  it("takes what is undefined for left out, whatever its name", () => {
    const parts = [{ share: 1 }, { share: 2, zzz: undefined }];
    const options = { limit: 1, zzz: undefined, parts, tiers: { gold: { zzz: undefined } } };
    expect(checkOptions(schema, options)).toEqual({ limit: 1, parts, tiers: { gold: {} } });
    expect(() => checkOptions(schema, { ...options, yyy: 1 })).toThrow(/^yyy: [^;]*$/);
    expect(checkOptions(schema, Object.freeze({ limit: 1, zzz: undefined }))).toEqual({ limit: 1 });
  });

  it("takes in any number of names that are left out", () => {
    const names = Array.from({ length: 3000 }, (_, i) => [`name ${i}`, undefined] as const);
    expect(checkOptions(schema, { limit: 1, ...Object.fromEntries(names) })).toEqual({ limit: 1 });
  });

  it("reads what is private to the object that it is given", () => {
    class Options {
      readonly zzz = undefined;
      readonly #limit = 5;
      get limit() {
        return this.#limit;
      }
    }
    expect(checkOptions(schema, new Options())).toEqual({ limit: 5 });
    const inherited = Object.create({ limit: 5, zzz: undefined }) as object;
    expect(checkOptions(schema, inherited)).toEqual({ limit: 5 });
  });

  it("is not led astray by names of Object.prototype, nor by very long ones", () => {
    const odd = JSON.parse('{"limit": 1, "__proto__": 5, "constructor": 6}') as object;
    expect(() => checkOptions(schema, odd)).toThrow(/constructor: expected a known option/);
    const long = { limit: 1, ["w".repeat(100_000)]: 1 };
    expect(() => checkOptions(schema, long)).toThrow(ConfigError);
  });
});
