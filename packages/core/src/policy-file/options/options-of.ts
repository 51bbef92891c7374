import { type Awaitable, firstOf, settled } from "../../awaitable.ts";
import type { Decision } from "../../decision.ts";
import { ConfigError } from "../../errors.ts";
import { frozen } from "../../frozen.ts";
import { headerDialects } from "../../http/headers/header-dialects.ts";
import type { AnswerData, BodyData } from "../schema/body-data.ts";
import type { DataProblem } from "../schema/data-problem.ts";
import type { FunctionData } from "../schema/function-data.ts";
import type { HeadersData } from "../schema/headers-data.ts";
import type { KeyData } from "../schema/key-data.ts";
import type { PolicyFile } from "../schema/policy-file.ts";
import type { SourceData } from "../schema/source-data.ts";
import { type FunctionOf, type Functions, functionBook } from "./function-book.ts";
import { keyOptionOf } from "./key-option.ts";
import { readerOf } from "./source-reader.ts";
import { fillTemplate } from "./template.ts";

type Path = readonly PropertyKey[];
type Data = Readonly<Record<string, unknown>>;
type Convert = (value: never, path: Path, functionOf: FunctionOf) => unknown;
type Read = (req: unknown) => Awaitable<unknown>;

/** Converts validated data to the options of a limiter, frozen, with functions and extractors instead of data. */
export function optionsOf(
  file: PolicyFile,
  functions: Functions,
): { readonly options: Data; readonly problems: readonly DataProblem[] } {
  const { functionOf, problems } = functionBook(functions);
  const whole = (data: Data, path: Path): Data => {
    const options: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(data)) {
      if (remarks.includes(name) || value === undefined) continue;
      const at = [...path, name];
      if (name === "policies" || name === "rules") {
        options[name] = Object.freeze((value as Data[]).map((one, i) => whole(one, [...at, i])));
        continue;
      }
      try {
        const convert = conversions[name] as ((...args: unknown[]) => unknown) | undefined;
        options[name] = convert ? convert(value, at, functionOf) : frozen(value);
      } catch (error) {
        problems.push(...refusals(error, at));
      }
    }
    return Object.freeze(options);
  };
  return { options: whole(file as unknown as Data, []), problems };
}

/** Remarks for people and tools, which are not options. */
const remarks = ["$schema", "version", "note"];

const named: Convert = (use: FunctionData, path, functionOf) => functionOf(use, path);

const chosen: Convert = (value: unknown, path, functionOf) => {
  if (!isObject(value)) return value;
  if ("use" in value) return functionOf(value as unknown as FunctionData, path);
  const { by, of, otherwise } = value as { by: SourceData; of: Data; otherwise: unknown };
  const table = new Map(Object.entries(of));
  const read = sourceOf(by, [...path, "by"], functionOf);
  const found = (text: unknown): unknown => {
    const known = table.get(String(text));
    return known === undefined && by === "method" && text === "HEAD" ? table.get("GET") : known;
  };
  return (req: unknown) => settled(read(req), (text) => found(text) ?? otherwise);
};

const tier: Convert = (value: SourceData | readonly SourceData[], path, functionOf) => {
  if (!Array.isArray(value)) return sourceOf(value as SourceData, path, functionOf);
  const reads = value.map((one: SourceData, i) => sourceOf(one, [...path, i], functionOf));
  return (req: unknown) =>
    firstOf(reads, (read) =>
      settled(read(req), (text) => (text === null || text === "" ? undefined : text)),
    );
};

const tiers: Convert = (value: Readonly<Record<string, Data>>, path, functionOf) =>
  frozen(
    Object.fromEntries(
      Object.entries(value).map(([name, own]) => [
        name,
        Object.fromEntries(
          Object.entries(own).map(([option, said]) => [
            option,
            chosen(said as never, [...path, name, option], functionOf),
          ]),
        ),
      ]),
    ),
  );

const maybeNamed: Convert = (value: unknown, path, functionOf) =>
  isObject(value) && "use" in value
    ? functionOf(value as unknown as FunctionData, path)
    : frozen(value);

const body: Convert = (value: BodyData, path, functionOf) => {
  if (typeof value === "string") return value;
  if ("use" in value) return functionOf(value, path);
  const template = value.value;
  return (decision: Decision) => fillTemplate(template, decision);
};

const action: Convert = (value: string | AnswerData | FunctionData, path, functionOf) => {
  if (typeof value === "string") return value;
  if ("use" in value) return functionOf(value, path);
  const { body: template, ...rest } = value.answer;
  if (template === undefined) return () => rest;
  return (decision: Decision) => ({ ...rest, body: fillTemplate(template, decision) });
};

const ban: Convert = (value: Data, path, functionOf) =>
  Object.freeze(
    value.body === undefined
      ? { ...value }
      : { ...value, body: body(value.body as never, [...path, "body"], functionOf) },
  );

const headers: Convert = (value: HeadersData) => {
  const one = (style: unknown): unknown =>
    Object.hasOwn(headerDialects, style as string)
      ? headerDialects[style as keyof typeof headerDialects]
      : frozen(style);
  return Array.isArray(value) ? Object.freeze(value.map(one)) : one(value);
};

/** Matches and list entries: a function is the entry itself, or its `when`. */
const conditions: Convert = (value: unknown, path, functionOf) => {
  const one = (entry: unknown, at: Path): unknown => {
    if (!isObject(entry)) return entry;
    if ("use" in entry) return functionOf(entry as unknown as FunctionData, at);
    if (entry.when === undefined) return frozen(entry);
    const when = functionOf(entry.when as FunctionData, [...at, "when"]);
    return Object.freeze({ ...entry, when });
  };
  return Array.isArray(value)
    ? Object.freeze(value.map((entry, i) => one(entry, [...path, i])))
    : one(value, path);
};

const key: Convert = (value: KeyData, path, functionOf) => keyOptionOf(value, path, functionOf);

/** Converts the data of an option to its value in code; other options are the same in both. */
const conversions: Readonly<Record<string, Convert>> = {
  limit: chosen,
  burst: chosen,
  window: chosen,
  cost: chosen,
  tier,
  tiers,
  key,
  skip: named,
  refund: maybeNamed,
  count: maybeNamed,
  resetOn: maybeNamed,
  body,
  action,
  ban,
  headers,
  match: conditions,
  allow: conditions,
  deny: conditions,
};

function sourceOf(data: SourceData, path: Path, functionOf: FunctionOf): Read {
  if (typeof data === "object" && "use" in data) return functionOf(data, path) as Read;
  return readerOf(data);
}

function refusals(error: unknown, path: Path): DataProblem[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.issues.map(({ expected, received }) => ({
    path,
    ofName: false,
    expected,
    received,
  }));
}

function isObject(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
