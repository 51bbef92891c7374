import type { HttpOptions } from "../http/options/http-options.ts";
import type { LimiterOptions } from "../options/limiter-options.ts";
import { pathText } from "../options/path-text.ts";
import { type Loaded, load, type Purpose } from "./load.ts";
import { PolicyFileError, type PolicyProblem } from "./policy-file-error.ts";
import { checkReaderOptions, checkText, type PolicyFileOptions } from "./reader-options.ts";
import type { DataProblem } from "./schema/data-problem.ts";
import { readJson } from "./text/json-text.ts";
import type { PolicyText } from "./text/policy-text.ts";
import { readYaml } from "./text/yaml-text.ts";

/** Requests options for `createLimiter`. */
export interface WithoutHttp extends PolicyFileOptions {
  readonly http: false;
}

/** The options of a limiter over HTTP, frozen, to be spread beside `store` and hooks. */
export type FilePolicies = HttpOptions<unknown>;

/**
 * Parses policies from a string to the options of a limiter. Rejects with a `PolicyFileError` listing all problems by
 * line and column, or with a `ConfigError` for invalid arguments.
 */
export function parsePolicies(text: string, options: WithoutHttp): Promise<LimiterOptions>;
export function parsePolicies(text: string, options?: PolicyFileOptions): Promise<FilePolicies>;
export async function parsePolicies(
  text: string,
  options: PolicyFileOptions = {},
): Promise<object> {
  return (await loadText(checkText(text, "text"), checkReaderOptions(options))).options;
}

/**
 * Converts policies that are already data, such as an imported preset or a database row, to the options of a limiter.
 * Throws a `PolicyFileError` listing all problems, or a `ConfigError` for invalid options.
 */
export function policiesFrom(data: unknown, options: WithoutHttp): LimiterOptions;
export function policiesFrom(data: unknown, options?: PolicyFileOptions): FilePolicies;
export function policiesFrom(data: unknown, options: PolicyFileOptions = {}): object {
  return loadData(data, checkReaderOptions(options)).options;
}

/** Loads policies from data, with validated options. Throws a `PolicyFileError`. */
export function loadData(
  data: unknown,
  options: PolicyFileOptions,
  purpose: Purpose = purposeOf(options),
): Loaded {
  return orThrow(load(data, options.functions ?? {}, purpose), options.name, undefined);
}

/** Loads policies from a string, with validated options. Rejects with a `PolicyFileError`. */
export async function loadText(
  text: string,
  options: PolicyFileOptions,
  purpose: Purpose = purposeOf(options),
): Promise<Loaded> {
  const { name, format = "json" } = options;
  const read = format === "yaml" ? await readYaml(text) : readJson(text);
  if (!("value" in read)) {
    const problems = read.map(({ line, column, expected, received }) => {
      return { file: name, line, column, path: "", expected, received };
    });
    throw new PolicyFileError(problems, read[0]?.cause);
  }
  return orThrow(load(read.value, options.functions ?? {}, purpose), name, read);
}

function purposeOf({ http = true }: PolicyFileOptions): Purpose {
  return http ? "http" : "limiter";
}

function orThrow(
  found: Loaded | readonly DataProblem[],
  name: string | undefined,
  text: PolicyText | undefined,
): Loaded {
  if ("options" in found) return found;
  const problems = found.map(({ path, ofName, expected, received }): PolicyProblem => {
    const place = text?.placeAt(path, ofName);
    const told = { file: name, line: place?.line, column: place?.column };
    return { ...told, path: pathText("", path), expected, received };
  });
  throw new PolicyFileError(problems.sort(byPlace));
}

function byPlace(a: PolicyProblem, b: PolicyProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
