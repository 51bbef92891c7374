import { METHODS } from "node:http";
import { domainToASCII } from "node:url";
import type { Awaitable } from "../../awaitable.ts";
import { isToken } from "../headers/structured-field.ts";
import { type Pattern, parsePattern } from "./pattern.ts";

/** One way for a request to match: all of its conditions must hold. Undefined ones always do. */
export interface Clause {
  readonly methods: ReadonlySet<string> | undefined;
  /** One of them must match. */
  readonly patterns: readonly Pattern[] | undefined;
  readonly caseSensitive: boolean;
  readonly hosts: readonly string[] | undefined;
  readonly fields: readonly Field[];
  readonly when: ((req: unknown) => Awaitable<boolean>) | undefined;
}

/** A header field that must be present. */
export interface Field {
  readonly name: string;
  /** The values of which it must have one; undefined: any. */
  readonly values: readonly string[] | undefined;
}

/** Called with each part of a match that is invalid. */
export type Complain = (path: readonly PropertyKey[], expected: string) => void;

/** Parses the option `match` to clauses, one of which must hold. */
export function clausesOf(match: unknown, complain: Complain): Clause[] {
  if (Array.isArray(match) && match.length > 0) {
    return match.flatMap((one, i) => clausesOf(one, (path, text) => complain([i, ...path], text)));
  }
  if (typeof match === "string") return [byText(match, complain)];
  if (typeof match === "function") return [{ ...anything, when: match as Clause["when"] }];
  if (typeof match === "object" && match !== null && !Array.isArray(match)) {
    return [byOptions(match as Given, complain)];
  }
  complain([], expectedMatch);
  return [];
}

/** The clause that every request matches. */
export const anything: Clause = {
  methods: undefined,
  patterns: undefined,
  caseSensitive: false,
  hosts: undefined,
  fields: [],
  when: undefined,
};

type Given = Readonly<Record<string, unknown>>;

const expectedMatch =
  'a path such as "GET /users/:id", conditions such as { method, path, host, header, when }, a function, or a list of these that is not empty';
const names = ["method", "path", "host", "header", "when", "caseSensitive"];

function byText(text: string, complain: Complain): Clause {
  const space = text.indexOf(" ");
  const tell = (expected: string): void => complain([], expected);
  return {
    ...anything,
    methods: space < 0 ? undefined : methodsIn(text.slice(0, space).split("|"), tell),
    patterns: patternsIn([space < 0 ? text : text.slice(space + 1).trimStart()], tell),
  };
}

function byOptions(given: Given, complain: Complain): Clause {
  const conditions = Object.keys(given).filter((name) => given[name] !== undefined);
  for (const name of conditions) {
    if (!names.includes(name)) complain([name], `one of the conditions ${names.join(", ")}`);
  }
  if (conditions.length === 0) complain([], expectedMatch);
  const { method, path, host, header, when, caseSensitive = false } = given;
  if (when !== undefined && typeof when !== "function") complain(["when"], "a function");
  if (typeof caseSensitive !== "boolean") complain(["caseSensitive"], "true or false");
  else if (given.caseSensitive !== undefined && path === undefined) {
    complain(["caseSensitive"], "a path beside it");
  }
  const listed = <T>(name: string, read: (texts: string[], tell: Tell) => T): T | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    const texts = [value].flat();
    const tell = (expected: string, i: number): void =>
      complain(Array.isArray(value) ? [name, i] : [name], expected);
    if (texts.length === 0) complain([name], "a string, or a non-empty list of them");
    return read(texts as string[], tell);
  };
  return {
    methods: method === undefined ? undefined : listed("method", methodsIn),
    patterns: path === undefined ? undefined : listed("path", patternsIn),
    caseSensitive: caseSensitive === true,
    hosts: host === undefined ? undefined : listed("host", hostsIn),
    fields: header === undefined ? [] : fieldsIn(header, complain),
    when: when as Clause["when"],
  };
}

type Tell = (expected: string, i: number) => void;

const known: ReadonlySet<string> = new Set(METHODS);

function methodsIn(texts: readonly string[], tell: Tell): ReadonlySet<string> {
  const methods = new Set<string>();
  texts.forEach((text, i) => {
    const method = typeof text === "string" ? text.toUpperCase() : "";
    if (!known.has(method)) tell('a method such as "GET", several with "|" between them', i);
    methods.add(method);
  });
  return methods.has("GET") ? methods.add("HEAD") : methods;
}

function patternsIn(texts: readonly string[], tell: Tell): Pattern[] {
  return texts.flatMap((text, i) => {
    const pattern = parsePattern(typeof text === "string" ? text : "");
    if (typeof pattern !== "string") return [pattern];
    tell(pattern, i);
    return [];
  });
}

function hostsIn(texts: readonly string[], tell: Tell): string[] {
  return texts.map((text, i) => {
    const host = typeof text === "string" ? canonicalHost(text) : "";
    if (host === "") tell('a host such as "example.com" or "*.example.com", without a port', i);
    return host;
  });
}

function canonicalHost(text: string): string {
  const wild = text.startsWith("*.") ? "*." : "";
  const name = text.slice(wild.length).replace(/\.$/, "");
  if (/[\s/?#@*\\%]/.test(name) || (!name.startsWith("[") && name.includes(":"))) return "";
  const ascii = domainToASCII(name);
  return ascii === "" ? "" : wild + ascii;
}

function fieldsIn(header: unknown, complain: Complain): Clause["fields"] {
  const entries =
    typeof header === "object" && header !== null && !Array.isArray(header)
      ? Object.entries(header)
      : [];
  if (entries.length === 0) complain(["header"], "names of header fields with their values");
  return entries.map(([name, value]: [string, unknown]) => {
    const values = value === true ? undefined : [value].flat();
    if (!isToken(name)) {
      complain(["header", name], "the name of a header field");
    } else if (values && !(values.length > 0 && values.every((one) => typeof one === "string"))) {
      complain(["header", name], "a string, a non-empty list of strings, or true");
    }
    return { name: name.toLowerCase(), values: values as readonly string[] | undefined };
  });
}
