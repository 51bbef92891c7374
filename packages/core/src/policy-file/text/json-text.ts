import { received } from "../../errors.ts";
import { deepest } from "../schema/plain-problems.ts";
import { type Fault, isPath, type PolicyText, placeOf } from "./policy-text.ts";

/** Parses JSON with positions. A duplicate name in an object is a fault, which `JSON.parse` accepts. */
export function readJson(text: string): PolicyText | readonly Fault[] {
  const offsets = new Map<string, { readonly value: number; readonly name: number }>();
  const faults: Fault[] = [];
  const end = scan(text, offsets, (offset, expected, received) => {
    faults.push({ ...placeOf(text, offset), expected, received });
  });
  if (end === undefined || faults.length > 0) return faults;
  return {
    value: JSON.parse(text.replace(/^\uFEFF/, "")),
    placeAt(path, name) {
      for (let length = path.length; length >= 0; length--) {
        const known = offsets.get(JSON.stringify(path.slice(0, length)));
        if (known) return placeOf(text, name && length === path.length ? known.name : known.value);
      }
      return { line: 1, column: 1 };
    },
  };
}

type Tell = (offset: number, expected: string, received: string) => void;

/** Finds the offsets of all values; undefined when a fault ends the scan early. */
function scan(
  source: string,
  offsets: Map<string, { readonly value: number; readonly name: number }>,
  tell: Tell,
): number | undefined {
  let at = source.startsWith("\uFEFF") ? 1 : 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  function fail(expected: string): false {
    const rest = source.slice(at, at + 1);
    const hint =
      rest === "/" || rest === "#" ? " (JSON has no comments; the option note is one)" : "";
    tell(at, expected + hint, rest === "" ? "the end of the text" : JSON.stringify(rest));
    return false;
  }

  /** Reports a text that cannot even start: another language, or the path of a file. */
  function failFirst(): false {
    if (source.trim() === "") tell(at, "a JSON value", "an empty text");
    else if (isPath(source))
      tell(at, "a JSON value (readPolicyFile reads a file)", received(source));
    else if (/^[/#{["]/.test(source.slice(at))) return fail("a JSON value");
    else {
      return fail(
        'a JSON value (YAML is read with format: "yaml", or of a file that ends in .yaml or .yml)',
      );
    }
    return false;
  }

  /** Returns whether there was a value. */
  function value(path: readonly PropertyKey[], name: number | undefined): boolean {
    match(blanks);
    offsets.set(JSON.stringify(path), { value: at, name: name ?? at });
    if (path.length > deepest) return fail(`at most ${deepest} levels`);
    if (match(/\{/y)) return members(path);
    if (match(/\[/y)) return elements(path);
    return (
      match(bare) !== undefined ||
      text() !== undefined ||
      (path.length === 0 ? failFirst() : fail("a JSON value"))
    );
  }

  /** Reads a quoted string; undefined when there is no valid one. */
  function text(): string | undefined {
    const start = at;
    const found = match(quoted);
    if (found === undefined) return undefined;
    try {
      return JSON.parse(found) as string;
    } catch {
      at = start;
      return undefined;
    }
  }

  function members(path: readonly PropertyKey[]): boolean {
    match(blanks);
    if (match(/\}/y)) return true;
    const names = new Set<string>();
    for (;;) {
      match(blanks);
      const start = at;
      const name = text();
      if (name === undefined) {
        const isEnd = names.size > 0 && source[at] === "}";
        return fail(
          `a name in double quotes${isEnd ? " (no comma stands after the last one)" : ""}`,
        );
      }
      if (names.has(name)) tell(start, "each name once", `${JSON.stringify(name)} again`);
      names.add(name);
      match(blanks);
      if (!match(/:/y)) return fail('":"');
      if (!value([...path, name], start)) return false;
      match(blanks);
      if (match(/\}/y)) return true;
      if (!match(/,/y)) return fail('"," or "}"');
    }
  }

  function elements(path: readonly PropertyKey[]): boolean {
    match(blanks);
    if (match(/\]/y)) return true;
    for (let i = 0; ; i++) {
      if (!value([...path, i], undefined)) return false;
      match(blanks);
      if (match(/\]/y)) return true;
      if (!match(/,/y)) return fail('"," or "]"');
    }
  }

  if (!value([], undefined)) return undefined;
  match(blanks);
  if (at < source.length) fail("the end of the text");
  return at;
}

const blanks = /[ \t\r\n]*/y;
// Loose: JSON.parse checks what is between the quotes.
const quoted = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const bare = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
