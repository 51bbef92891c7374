import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { aFunction, expecting, oneOf, trueOrFalse } from "../options/expecting.ts";
import type { Functions } from "./options/function-book.ts";

/** How policies become options. */
export interface PolicyFileOptions {
  /** The functions named by `use`. */
  readonly functions?: Functions | undefined;
  /** The name of the policies in errors. Default: the path of a file, else none. */
  readonly name?: string | undefined;
  /** Default: by extension for a file, JSON for a string. */
  readonly format?: "json" | "yaml" | undefined;
  /** `false`: options of `createLimiter`, where anything that needs a request is an error. Default `true`. */
  readonly http?: boolean | undefined;
}

const aText = expecting("a string", (v) => typeof v === "string");

const policiesText = expecting(
  "a string",
  (v) => typeof v === "string",
  (v) => {
    if (ArrayBuffer.isView(v)) return ' (of bytes: buffer.toString("utf8"))';
    return typeof v === "object" && v !== null ? " (policiesFrom takes data)" : "";
  },
);

// Accepts any object; a record schema requires a plain one.
const functions = expecting(
  "an object of functions by their names",
  (v) => typeof v === "object" && v !== null && !Array.isArray(v),
)
  .transform((v) => ({ ...(v as object) }))
  .pipe(z.record(z.string(), aFunction));

/** The fields shared by all functions that turn policies into options, for strict object schemas. */
export const readerShape: Readonly<Record<"functions" | "name" | "format", z.ZodType>> = {
  functions: functions.optional(),
  name: aText.optional(),
  format: oneOf("json", "yaml").optional(),
};

/** The field of functions that can also return options of `createLimiter`. */
export const httpSchema: z.ZodType = trueOrFalse.optional();

const schema = z.strictObject({ ...readerShape, http: httpSchema });

/** Validates options. Throws a `ConfigError` naming each invalid one; returns the validated values. */
export function checkReaderOptions(options: PolicyFileOptions): PolicyFileOptions {
  return checkOptions(schema, options);
}

/** Returns a string; throws a `ConfigError` for anything else; `at` names it. */
export function checkText(text: string, at: string): string {
  return checkOptions(policiesText, text, at);
}
