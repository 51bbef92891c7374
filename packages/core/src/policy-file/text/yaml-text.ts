import type { Scalar } from "yaml";
import { errorText } from "../../errors.ts";
import type { Fault, Place, PolicyText } from "./policy-text.ts";
import { type FaultAt, namesOf, offsetOf } from "./yaml-names.ts";

type Yaml = typeof import("yaml");

/** Parses YAML 1.2 with positions, using the package `yaml`, which applications install for it. */
export async function readYaml(
  text: string,
  load?: () => Promise<Yaml>,
): Promise<PolicyText | readonly Fault[]> {
  const start: Place = { line: 1, column: 1 };
  let yaml: Yaml;
  try {
    // Directly in a `try`, so that bundlers take the package for one that may be missing.
    yaml = load ? await load() : await import("yaml");
  } catch (cause) {
    return [{ ...start, ...notLoaded(cause), cause }];
  }
  const lineCounter = new yaml.LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  // `namesOf` finds duplicate names, even when one is written as a number.
  const options = { lineCounter, prettyErrors: false, uniqueKeys: false };
  const read = yaml.parseDocument(text, options);
  // Errors after the first syntax error are mostly its consequences.
  const [syntax] = read.errors;
  const told = (syntax ? [syntax] : read.warnings).map(
    ({ pos, code, message }): FaultAt =>
      code === "MULTIPLE_DOCS"
        ? { offset: pos[0], expected: "one document", received: "another one after ---" }
        : {
            offset: pos[0],
            expected: "YAML",
            received: `a string of which its reader says: ${message}`,
          },
  );
  const names = syntax ? undefined : namesOf(yaml, read);
  const wrong = [...told, ...(names?.faults ?? [])];
  if (wrong.length > 0) {
    return wrong
      .sort((a, b) => a.offset - b.offset)
      .map(({ offset, ...fault }) => ({ ...place(offset), ...fault }));
  }
  if (read.contents === null) {
    const received = text.trim() === "" ? "an empty text" : "nothing but comments";
    return [{ ...start, expected: "policies in YAML", received }];
  }
  let value: unknown;
  try {
    value = read.toJS();
  } catch (cause) {
    return [{ ...start, expected: "YAML", received: errorText(cause), cause }];
  }

  const meantBy = (node: unknown): unknown => (yaml.isAlias(node) ? names?.meant.get(node) : node);
  const textOf = (key: unknown): string => String((meantBy(key) as Scalar).value);

  function placeAt(path: readonly PropertyKey[], name: boolean): Place {
    let node: unknown = read.contents;
    let offset = offsetOf(node) ?? 0;
    for (const [i, part] of path.entries()) {
      const inner = meantBy(node);
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

/**
 * Only reports the package as not installed if it is the one not found: a broken one, or one that lacks another, is
 * reported as such.
 */
function notLoaded(error: unknown): { readonly expected: string; readonly received: string } {
  const { code, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const missing = /MODULE_NOT_FOUND$/.test(String(code));
  if (missing && /^Cannot find (?:package|module) 'yaml'/.test(String(message))) {
    const expected = "the package yaml to be installed, for files in YAML (npm install yaml)";
    return { expected, received: "none" };
  }
  return { expected: "the package yaml to load, for files in YAML", received: errorText(error) };
}
