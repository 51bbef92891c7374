import { type DialectValue, type HeaderDialect, headersOf } from "./header-dialect.ts";
import { type HeaderField, policyHole, type WriteValue } from "./header-field.ts";
import { headerTemplate, tellsTime } from "./header-template.ts";
import type { TimeFormat } from "./time-format.ts";

/** Compiles a valid dialect into the headers that it writes. */
export function dialectFields(dialect: HeaderDialect): HeaderField[] {
  return headersOf(dialect).map(([header]) => fieldOf(header, dialect.prefix ?? ""));
}

function fieldOf(header: DialectValue, prefix: string): HeaderField {
  const { value, byPolicy, as = "epoch", decimals, when = "always" } = header;
  const name = prefix + header.name;
  const of = header.of ?? (name.includes(policyHole) ? "each" : "binding");
  const compiled = (text: string): WriteValue => headerTemplate(text, as, decimals);
  const standard = value === undefined ? undefined : compiled(value);
  const special = byPolicy && new Map(Object.entries(byPolicy).map(([p, v]) => [p, compiled(v)]));
  const write: (...args: Parameters<WriteValue>) => string | undefined = special
    ? (status, now) => (special.get(status.policy) ?? standard)?.(status, now)
    : standard!;
  return {
    name,
    of,
    meaning: JSON.stringify([of, when, saying(value, as, decimals), sayings(header, as)]),
    write:
      when === "always"
        ? write
        : (status, now) => (status.allowed ? undefined : write(status, now)),
  };
}

/** Describes a template and its options; equal descriptions mean equal values. */
function saying(text: string | undefined, as: TimeFormat, decimals: number | undefined): unknown {
  if (text === undefined || !tellsTime(text)) return text ?? null;
  return [text, as, decimals ?? (as === "duration" ? 3 : 0)];
}

function sayings({ byPolicy, decimals }: DialectValue, as: TimeFormat): unknown {
  if (byPolicy === undefined) return null;
  const entries = Object.entries(byPolicy).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([policy, text]) => [policy, saying(text, as, decimals)]);
}
