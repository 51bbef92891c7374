import type { IncomingMessage } from "node:http";
import { checkOptions } from "../check-options.ts";
import { expecting } from "../expecting.ts";

/** Reads a header field as text, its lines joined; undefined where it is missing or empty. */
export function headerText(raw: IncomingMessage, field: string): string | undefined {
  const value: unknown = raw.headers[field];
  const text = Array.isArray(value) ? value.join(", ") : value;
  // A name such as "constructor" finds what every object inherits.
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Checks the name of a header field, and lower-cases it. */
export function fieldName(name: unknown): string {
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  checkOptions(
    expecting("the name of a header field", (v) => typeof v === "string" && token.test(v)),
    name,
  );
  return (name as string).toLowerCase();
}
