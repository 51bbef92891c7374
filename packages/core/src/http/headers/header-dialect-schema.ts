import { z } from "zod";
import { expecting, oneOf } from "../../options/expecting.ts";
import { isWhole } from "../../whole.ts";
import { type DialectValue, type HeaderDialect, headersOf, roles } from "./header-dialect.ts";
import { policyHole } from "./header-field.ts";
import { holes, isTemplate, tellsTime } from "./header-template.ts";
import { isToken } from "./structured-field.ts";
import { timeFormats } from "./time-format.ts";

const nameText = "the name of a header, which may hold {policy}";
const valueText = `printable ASCII with any of ${holes.map((hole) => `{${hole}}`).join(", ")}`;
const name = expecting(nameText, (v) => typeof v === "string" && isName(v)).meta({
  type: "string",
  pattern: "^([!#$%&'*+.^_`|~0-9A-Za-z-]|\\{policy\\})+$",
});
const value = expecting(valueText, (v) => typeof v === "string" && isTemplate(v)).meta({
  type: "string",
});
const decimals = expecting("a whole number from 0 to 3", (v) => isWhole(v) && v <= 3).meta({
  type: "integer",
  minimum: 0,
  maximum: 3,
});

const headerShape = {
  name,
  of: choice("binding", "each").optional(),
  when: choice("always", "refused").optional(),
};
const timeShape = {
  ...headerShape,
  as: choice(...timeFormats).optional(),
  decimals: decimals.optional(),
};
const valueShape = {
  ...timeShape,
  value: value.optional(),
  byPolicy: z.record(z.string(), value).optional(),
};

const header = named(headerShape);
const time = named(timeShape);

/** The properties of a dialect's header. */
export const headerParts: readonly string[] = Object.keys(valueShape);

/** The properties of a dialect. */
export const dialectParts: readonly string[] = ["prefix", ...roles, "fields", "retryAfter"];

/** The schema of a dialect, for options and for policy files; the type of what it accepts is `HeaderDialect`. */
export const headerDialectSchema: z.ZodType<HeaderDialect> = z
  .strictObject({
    prefix: expecting(
      "the beginning of a header's name, which may hold {policy}",
      (v) => v === "" || (typeof v === "string" && isName(v)),
    )
      .meta({ type: "string" })
      .optional(),
    limit: header,
    remaining: header,
    used: header,
    reset: time,
    resetAfter: time,
    window: header,
    resource: header,
    fields: z.array(z.strictObject(valueShape)).optional(),
    retryAfter: z
      .union([z.literal(false), z.strictObject({ decimals })], {
        error: "false, or an object with the number of decimals",
      })
      .optional(),
  })
  .superRefine((dialect, { addIssue }) => {
    const given = headersOf(dialect as HeaderDialect);
    if (given.length === 0 && dialect.retryAfter === undefined) {
      addIssue({ code: "custom", message: "at least one header, or retryAfter" });
    }
    for (const [header, path] of given) {
      for (const [part, message] of problemsOf(header, dialect.prefix as string | undefined)) {
        addIssue({ code: "custom", message, path: [...path, ...part] });
      }
    }
  }) as unknown as z.ZodType<HeaderDialect>;

/** Fields of HTTP itself, and those that a refusal sets or removes. */
const taken = new Set(
  "cache-control connection content-encoding content-language content-length content-type date etag expires keep-alive last-modified location retry-after set-cookie trailer transfer-encoding upgrade vary".split(
    " ",
  ),
);

/** Finds properties of a header, each valid by itself, that do not fit together. */
function problemsOf(
  header: DialectValue,
  prefix = "",
): (readonly [path: readonly string[], expected: string])[] {
  const problems: (readonly [readonly string[], string])[] = [];
  const full = prefix + header.name;
  const templates = [header.value, ...Object.values(header.byPolicy ?? {})];
  const timed = templates.some((text) => text !== undefined && tellsTime(text));
  if (taken.has(full.toLowerCase())) {
    problems.push([["name"], `a name that means nothing else to HTTP than ${full} does`]);
  }
  if (header.of === "binding" && full.includes(policyHole)) {
    problems.push([["of"], '"each" with {policy} in the name']);
  }
  if (header.value === undefined && header.byPolicy === undefined) {
    problems.push([["value"], valueText]);
  }
  for (const part of ["as", "decimals"] as const) {
    if (header[part] !== undefined && !timed) {
      problems.push([[part], "this only with {reset} in the value"]);
    }
  }
  if (header.as === "http-date" && (header.decimals ?? 0) > 0) {
    problems.push([["decimals"], "0 with a date of HTTP"]);
  }
  return problems;
}

function isName(text: string): boolean {
  return isToken(text.replaceAll(policyHole, "a"));
}

function named(shape: z.ZodRawShape): z.ZodType {
  const expected = `${nameText}, or an object with one`;
  return z.union([name, z.strictObject(shape)], { error: expected }).optional();
}

function choice(...names: readonly string[]): z.ZodType {
  return oneOf(...names).meta({ enum: [...names] });
}
