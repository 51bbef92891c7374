import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { toldOf } from "../errors.ts";
import type { LimiterOptions } from "../limiter-options.ts";
import type { Loaded } from "./load.ts";
import {
  type FilePolicies,
  loadText,
  type PolicyFileOptions,
  type WithoutHttp,
} from "./parse-policies.ts";
import { PolicyFileError } from "./policy-file-error.ts";

/**
 * Reads a policy file, JSON or by its ending (`.yaml`, `.yml`) YAML, and answers the options of a limiter. Rejects with
 * a `PolicyFileError` that names all that is wrong, by line and column, or that the file cannot be read.
 */
export function readPolicyFile(path: string | URL, options: WithoutHttp): Promise<LimiterOptions>;
export function readPolicyFile(
  path: string | URL,
  options?: PolicyFileOptions,
): Promise<FilePolicies>;
export async function readPolicyFile(
  path: string | URL,
  options: PolicyFileOptions = {},
): Promise<object> {
  return (await loadFile(path, options)).options;
}

/** Loads a policy file. Rejects with a `PolicyFileError`. */
export async function loadFile(path: string | URL, options: PolicyFileOptions): Promise<Loaded> {
  const name = options.name ?? pathOf(path);
  const format = options.format ?? formatOf(pathOf(path));
  return loadText(await textOf(path, name), { ...options, format, name });
}

/** Reads a file's text. Rejects with a `PolicyFileError`. */
export async function textOf(path: string | URL, name: string): Promise<string> {
  try {
    return utf8.decode(await readFile(path));
  } catch (cause) {
    const problem = { expected: "a file that can be read", received: toldOf(cause) };
    const nowhere = { file: name, line: undefined, column: undefined, path: "" };
    throw new PolicyFileError([{ ...nowhere, ...problem }], cause);
  }
}

/** A byte that is no text would else be read as another character, of a name that nobody has. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The path of a file, as text. */
export function pathOf(path: string | URL): string {
  return path instanceof URL || /^file:/.test(path) ? fileURLToPath(path) : path;
}

/** The format that a file's name tells. */
export function formatOf(path: string): "json" | "yaml" {
  return /\.ya?ml$/i.test(path) ? "yaml" : "json";
}
