import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FilePolicies, PolicyFileError, parsePolicies } from "../index.ts";

const read = (text: string): Promise<FilePolicies & { readonly tiers?: unknown }> =>
  parsePolicies(text, { format: "yaml" });

const told = async (text: string): Promise<string[]> => {
  const error = await read(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PolicyFileError);
  return (error as Error).message.split("\n");
};

/** Returns policies with these tiers, which start at 4:8. */
const withTiers = (tiers: string): string =>
  `limit: 1\nwindow: 1m\ntier: identity\ntiers: ${tiers}\n`;

const aText = "expected a string as the name, received";

describe("a name in YAML", () => {
  it.each([
    ["1.10", 'the number 1.1: quote it ("1.10")'],
    ["2024.10", 'the number 2024.1: quote it ("2024.10")'],
    ["1.0", 'the number 1: quote it ("1.0")'],
    ["0x10", 'the number 16: quote it ("0x10")'],
    ["0o17", 'the number 15: quote it ("0o17")'],
    ["08", 'the number 8: quote it ("08")'],
    ["1e2", 'the number 100: quote it ("1e2")'],
    ["+1", 'the number 1: quote it ("+1")'],
    ["-0", 'the number 0: quote it ("-0")'],
    [".inf", 'the number Infinity: quote it (".inf")'],
    ["12345678901234567890", 'the number 12345678901234567000: quote it ("12345678901234567890")'],
    ["True", 'true: quote it ("True")'],
    ["null", 'null: quote it ("null")'],
    ["~", 'null: quote it ("~")'],
    ["", 'null: quote it ("")'],
    ["[a, b]", "an array of 2"],
    ["{ a: 1 }", "an object"],
    ["&all [*all]", "an array of 1"],
    ["!!binary eA==", `an instance of Buffer: quote it ("eA==")`],
  ])("that says another text than stands there is refused: %s", async (name, received) => {
    const column = 9 + /^(&|!!)\w+ |/.exec(name)![0].length;
    expect(await told(withTiers(`{${name}: { limit: 6 }}`))).toEqual([
      `policies:4:${column}: ${aText} ${received}`,
    ]);
  });

  it.each([
    ["1", "1"],
    ["429", "429"],
    ["-1.5", "-1.5"],
    ["true", "true"],
    ["4xx", "4xx"],
    ["yes", "yes"],
    ["2024-01-01", "2024-01-01"],
    ['"1.10"', "1.10"],
    ["'~'", "~"],
    ["!!str 0x10", "0x10"],
    ['"<<"', "<<"],
    ["&pro gold", "gold"],
  ])("that says what stands there is allowed: %s", async (name, text) => {
    const { tiers } = await read(withTiers(`{${name}: { limit: 6 }}`));
    expect(tiers).toEqual({ [text]: { limit: 6 } });
  });

  it("is the text that stands there, or refused", async () => {
    const number = fc.stringMatching(/^[-+]?(0[xo])?\d{0,3}(\.\d{0,2})?(e\d)?$/);
    const word = fc.stringMatching(/^\.?(null|Null|true|FALSE|nan|INF|inf|yes|1_0|0b1|x)$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(number, word), async (name) => {
        const named = (text: string): string => withTiers(`\n  ${text}: { limit: 6 }`);
        const found = await read(named(name)).catch((reason: unknown) => reason);
        if (found instanceof PolicyFileError)
          expect(found.message).toContain("expected a string as");
        else expect(found).toMatchObject({ tiers: { [name]: { limit: 6 } } });
        const { tiers } = await read(named(JSON.stringify(name)));
        expect(tiers).toEqual({ [name]: { limit: 6 } });
      }),
    );
  });

  it.each([
    ['1: &a { limit: 6 }, "1": *a', "policies:4:29", "1"],
    ['true: &a { limit: 6 }, "true": *a', "policies:4:32", "true"],
    ["pro: &a { limit: 6 }, 'pro': *a", "policies:4:31", "pro"],
  ])("stands once, however it is written: %s", async (tiers, place, name) => {
    expect(await told(withTiers(`{${tiers}}`))).toEqual([
      `${place}: expected each name once, received "${name}" again`,
    ]);
  });

  it("may be an alias, which is the name that it stands for", async () => {
    const text = (...tiers: string[]): string =>
      `limit: 1\nwindow: 1m\ntier: { header: &name ${tiers[0]} }\ntiers:\n  *name : { limit: ${tiers[1]} }\n`;
    expect((await read(text("pro", "6"))).tiers).toEqual({ pro: { limit: 6 } });
    expect(await told(text("pro", "-6"))).toEqual([
      expect.stringMatching(/^policies:5:20: tiers\.pro\.limit: expected/),
    ]);
    expect(await told(text("1.10", "6"))).toEqual([
      `policies:5:3: ${aText} the number 1.1: quote it ("1.10")`,
    ]);
  });

  it("may be an alias of a name that is given again, and means the latest", async () => {
    const tiers = "{ &name pro: { limit: 6 }, other: { limit: 7 }, x: { limit: &name 8 } }";
    expect((await read(withTiers(tiers))).tiers).toMatchObject({ pro: { limit: 6 } });
    const text = `limit: 1\nwindow: 1m\ntier: { header: &name pro }\nname: &name 1.10\ntiers:\n  *name : { limit: 6 }\n`;
    expect(await told(text)).toContain(`policies:6:3: ${aText} the number 1.1: quote it ("1.10")`);
  });

  it("is looked at wherever it stands, and all that is wrong is told in the order of the lines", async () => {
    const text = `matching: all
rules:
  - &rule { name: a, limit: 1, window: 1m }
  - <<: *rule
    name: b
  - name: c
    limit: { by: { header: x-v }, of: { 1: 1, 1.10: 6, 1.1: 5, "1": 2 }, otherwise: 1 }
    window: 1m
    body: { value: [{ ~: 1 }, !!pairs [0x1: 1]] }
note: !unknown x
`;
    expect(await told(text)).toEqual([
      `policies:4:5: ${aText} a merge key: << is not supported (anchors and aliases as values are)`,
      `policies:7:47: ${aText} the number 1.1: quote it ("1.10")`,
      'policies:7:64: expected each name once, received "1" again',
      `policies:9:23: ${aText} null: quote it ("~")`,
      `policies:9:40: ${aText} the number 1: quote it ("0x1")`,
      expect.stringContaining(
        "policies:10:7: expected YAML, received a string of which its reader",
      ),
    ]);
  });

  it.each([
    ["<<: *a", "4:39"],
    ["<<: [*a]", "4:39"],
    ["!!merge <<: *a", "4:47"],
  ])("is no merge key: %s", async (merge, place) => {
    expect(await told(withTiers(`{gold: &a { limit: 6 }, pro: { ${merge} }}`))).toEqual([
      `policies:${place}: ${aText} a merge key: << is not supported (anchors and aliases as values are)`,
    ]);
  });

  it("is no merge key in YAML 1.1 either", async () => {
    expect(await told("%YAML 1.1\n---\n<<: { limit: 1 }\nwindow: 1m\n")).toEqual([
      expect.stringContaining(`policies:3:1: ${aText} a merge key`),
    ]);
  });
});
