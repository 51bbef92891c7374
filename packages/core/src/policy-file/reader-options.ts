import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { aFunction, expecting, oneOf, trueOrFalse } from "../options/expecting.ts";
import type { Functions } from "./options/function-book.ts";

/** How policies become options. */
export interface PolicyFileOptions {
  /** What stands for the names under `use`. */
  readonly functions?: Functions | undefined;
  /** What errors call the policies. Default: the path of a file, else nothing. */
  readonly name?: string | undefined;
  /** Default: of a file by its ending, of a string JSON. */
  readonly format?: "json" | "yaml" | undefined;
  /** `false`: options of `createLimiter`, where what needs a request is an error. Default `true`. */
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

// Any object, where a record would have to be a plain one.
const functions = expecting(
  "an object of functions by their names",
  (v) => typeof v === "object" && v !== null && !Array.isArray(v),
)
  .transform((v) => ({ ...(v as object) }))
  .pipe(z.record(z.string(), aFunction));

/** The fields of all that turns policies into options, for strict object schemas. */
export const readerShape: Readonly<Record<"functions" | "name" | "format", z.ZodType>> = {
  functions: functions.optional(),
  name: aText.optional(),
  format: oneOf("json", "yaml").optional(),
};

/** Of those that also make options of `createLimiter`. */
export const httpSchema: z.ZodType = trueOrFalse.optional();

const schema = z.strictObject({ ...readerShape, http: httpSchema });

/** Throws a `ConfigError` that names each option that does not fit; answers what was checked. */
export function checkReaderOptions(options: PolicyFileOptions): PolicyFileOptions {
  return checkOptions(schema, options);
}

/** Passes on a string; throws a `ConfigError` for anything else, which is called `at`. */
export function checkText(text: string, at: string): string {
  return checkOptions(policiesText, text, at);
}
