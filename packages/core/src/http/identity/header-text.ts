import { isToken } from "../headers/structured-field.ts";
import type { RequestContext } from "../request-context.ts";
import { checkName } from "./check-name.ts";

/** Returns a header field as a string, its lines joined; undefined if it is missing or empty. */
export function headerText(
  context: Pick<RequestContext, "headers">,
  field: string,
): string | undefined {
  const value: unknown = context.headers()[field];
  const text = Array.isArray(value) ? value.join(", ") : value;
  // A name such as "constructor" finds an inherited property.
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Checks the name of a header field, given at `path`, and returns it in lower case. */
export function fieldName(name: unknown, path: string): string {
  checkName(name, path, "the name of a header field", isToken);
  return (name as string).toLowerCase();
}
