import { type Awaitable, settled } from "../../awaitable.ts";
import { ConfigError, received } from "../../errors.ts";
import { truthOf } from "../../truth.ts";
import type { RequestContext } from "../request-context.ts";
import { anything, type Clause, clausesOf, type Field } from "./clause.ts";
import type { Match } from "./match-options.ts";
import { hostOf } from "./target.ts";

/** A clause of a rule; a match of several alternatives has several. */
export interface MatchEntry {
  readonly rule: number;
  readonly clause: Clause;
  readonly path: string;
}

/** A request, and what has been read of it so far. */
export class MatchInput {
  declare readonly context: RequestContext;
  declare host: string | undefined;

  constructor(context: RequestContext) {
    this.context = context;
    this.host = undefined;
  }

  hostName(): string {
    this.host ??= hostOf(this.context);
    return this.host;
  }
}

/** Returns the entries of a rule's match at `path`. Throws a `ConfigError` if it is invalid. */
export function entriesOf(
  match: Match<never> | undefined,
  rule: number,
  path: string,
): MatchEntry[] {
  const clauses =
    match === undefined
      ? [anything]
      : clausesOf(match, (_, expected) => {
          throw new ConfigError([{ path, expected, received: received(match) }]);
        });
  return clauses.map((clause) => ({ rule, clause, path }));
}

/** Whether a request matches an entry. */
export function entryMatches({ clause, path }: MatchEntry, asked: MatchInput): Awaitable<boolean> {
  const { methods, hosts, fields, when } = clause;
  const { raw, req } = asked.context;
  if (methods && !methods.has(raw.method?.toUpperCase() ?? "GET")) return false;
  if (hosts && !hosts.some((host) => isOf(host, asked.hostName()))) return false;
  for (let i = 0; i < fields.length; i++) if (!hasField(raw.headers, fields[i]!)) return false;
  return when ? settled(when(req), (value: unknown) => truthOf(value, path)) : true;
}

function isOf(pattern: string, host: string): boolean {
  return pattern.startsWith("*.")
    ? host.length >= pattern.length && host.endsWith(pattern.slice(1))
    : host === pattern;
}

/** Whether a request has a field; one sent repeatedly, or as a list, has each of its values. */
function hasField(headers: RequestContext["raw"]["headers"], { name, values }: Field): boolean {
  // A name such as "constructor" finds an inherited property, which is neither a string nor a list.
  const value: unknown = headers[name];
  if (Array.isArray(value)) return !values || value.some((line) => hasValue(line, values));
  return typeof value === "string" && (!values || hasValue(value, values));
}

function hasValue(line: string, values: readonly string[]): boolean {
  if (values.includes(line)) return true;
  return line.includes(",") && line.split(",").some((part) => values.includes(part.trim()));
}
