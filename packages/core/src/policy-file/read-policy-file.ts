import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { errorText } from "../errors.ts";
import { checkOptions } from "../options/check-options.ts";
import { expecting } from "../options/expecting.ts";
import type { LimiterOptions } from "../options/limiter-options.ts";
import type { Loaded } from "./load.ts";
import { type FilePolicies, loadText, type WithoutHttp } from "./parse-policies.ts";
import { PolicyFileError } from "./policy-file-error.ts";
import { checkReaderOptions, type PolicyFileOptions } from "./reader-options.ts";

/**
 * Reads a policy file, JSON or by its extension (`.yaml`, `.yml`) YAML, to the options of a limiter. Rejects with a
 * `PolicyFileError` listing all problems by line and column, or that the file is unreadable; with a `ConfigError` for
 * invalid arguments.
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
  checkPath(path, "path");
  return (await loadFile(path, checkReaderOptions(options))).options;
}

/** Loads a policy file, with validated arguments. Rejects with a `PolicyFileError`. */
export async function loadFile(path: string | URL, options: PolicyFileOptions): Promise<Loaded> {
  const name = options.name ?? pathOf(path);
  const format = options.format ?? formatOf(pathOf(path));
  return loadText(textIn(await bytesOf(path, name), name), { ...options, format, name });
}

/** Reads a file. Rejects with a `PolicyFileError`. */
export async function bytesOf(path: string | URL, name: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

/** Decodes a file. Throws a `PolicyFileError` if it is not UTF-8. */
export function textIn(bytes: Uint8Array, name: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

function unreadable(name: string, cause: unknown): PolicyFileError {
  const expected = `a file that can be read${unreadHint(name)}`;
  const problem = { expected, received: errorText(cause) };
  const nowhere = { file: name, line: undefined, column: undefined, path: "" };
  return new PolicyFileError([{ ...nowhere, ...problem }], cause);
}

/** Returns a hint at what an unlikely path is instead. */
function unreadHint(path: string): string {
  if (/[\n{]/.test(path)) return " (parsePolicies reads a string)";
  return /^[\w-]+$/.test(path)
    ? ` (of a preset, the path of @spillway/core/presets/${path}.json)`
    : "";
}

/** Fatal: an invalid byte would otherwise become another character, in a name that nobody has. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws a `ConfigError` for anything but a path; `at` names it. */
export function checkPath(path: unknown, at: string): void {
  checkOptions(aPath, path, at);
}

const aPath = expecting("the path of a file, as a string or a file: URL", (v) => {
  try {
    return typeof pathOf(v as string | URL) === "string";
  } catch {
    // A URL elsewhere, or one that is not a path on this system.
    return false;
  }
});

/** Returns the path of a file as a string. */
export function pathOf(path: string | URL): string {
  return path instanceof URL || /^file:/.test(path) ? fileURLToPath(path) : path;
}

/** Returns the format by a file's extension. */
export function formatOf(path: string): "json" | "yaml" {
  return /\.ya?ml$/i.test(path) ? "yaml" : "json";
}
