import { toldOf } from "../errors.ts";
import type { Fault, Place, PolicyText } from "./policy-text.ts";

/** Reads YAML 1.2 with its places, by the package `yaml`, which applications install for it. */
export async function readYaml(text: string): Promise<PolicyText | readonly Fault[]> {
  const start: Place = { line: 1, column: 1 };
  let yaml: typeof import("yaml");
  try {
    yaml = await import("yaml");
  } catch {
    const expected = "the package yaml to be installed, for files in YAML";
    return [{ ...start, expected, received: "none" }];
  }
  const lineCounter = new yaml.LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const read = yaml.parseDocument(text, { lineCounter, prettyErrors: false });
  // What follows a mistake of syntax is mostly its consequence.
  const syntax = read.errors.find(({ code }) => code !== "DUPLICATE_KEY");
  const wrong = syntax ? [syntax] : [...read.errors, ...read.warnings];
  if (wrong.length > 0) {
    return wrong.map(({ pos, message }) => ({
      ...place(pos[0]),
      expected: "YAML",
      received: `a text of which its reader says: ${message}`,
    }));
  }
  let value: unknown;
  try {
    value = read.toJS();
  } catch (error) {
    return [{ ...start, expected: "YAML", received: toldOf(error) }];
  }

  function placeAt(path: readonly PropertyKey[], name: boolean): Place {
    let node: unknown = read.contents;
    let offset = offsetOf(node) ?? 0;
    for (const [i, part] of path.entries()) {
      const inner = yaml.isAlias(node) ? node.resolve(read) : node;
      const pair = yaml.isMap(inner)
        ? inner.items.find(({ key }) => textOf(key) === String(part))
        : undefined;
      node = yaml.isSeq(inner) ? inner.items[Number(part)] : pair?.value;
      const found = name && i === path.length - 1 ? offsetOf(pair?.key) : undefined;
      const next = found ?? offsetOf(node) ?? offsetOf(pair?.key);
      if (next === undefined) break;
      offset = next;
    }
    return place(offset);
  }

  return { value, placeAt };
}

function offsetOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}

function textOf(key: unknown): string {
  return String((key as { value?: unknown } | null)?.value ?? key);
}
