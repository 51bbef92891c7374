import type { GraphQLSchema } from "graphql";
import { z } from "zod";
import type { Awaitable } from "../awaitable.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { checkOptions } from "../options/check-options.ts";
import { aFunction, expecting, isFunction, oneOf, wholeFromOne } from "../options/expecting.ts";
import { isWhole } from "../whole.ts";
import type { GraphqlRequest } from "./graphql-request.ts";
import type { ModelName } from "./model.ts";

/** What one field costs, in place of what its kind does; `pageSize` is what it answers where no argument says. */
export type FieldCost =
  | number
  | { readonly cost?: number | undefined; readonly pageSize?: number | undefined };

/** How queries are costed. All costs are whole numbers of 0 and more. */
export interface GraphqlCostOptions<Req = unknown> {
  /** What adds up: objects and pages, only nodes, or the requests of GitHub's points. Default `"complexity"`. */
  readonly model?: ModelName | undefined;
  /** Of a field without a selection. Default 0. */
  readonly scalar?: number | undefined;
  /** Of a field with a selection, and of each item of a page. Default 1; 0 in the other models. */
  readonly object?: number | undefined;
  /** Of a field that answers a page, beside its items. Default 1; 0 in the model of nodes. */
  readonly connection?: number | undefined;
  /** Of each field at the top of a mutation. Default: as any other field. */
  readonly mutation?: number | undefined;
  /** By name, such as `search`; with a schema also `Query.search`. */
  readonly fields?: Readonly<Record<string, FieldCost>> | undefined;
  /** Items of a page whose size nothing says. Default 10. */
  readonly defaultPageSize?: number | undefined;
  /** Items of a page at the most, whatever is asked for: what the server itself sees to. Default: none. */
  readonly maxPageSize?: number | undefined;
  /** Which arguments say how many items are asked for; of a list, its length. Default `["first", "last"]`. */
  readonly pageArguments?: readonly string[] | undefined;
  /** Tells which fields answer lists, the defaults of arguments, and what types are called. */
  readonly schema?: GraphQLSchema | undefined;
  /** Levels of fields, 1 to 500. Default 100. */
  readonly maxDepth?: number | undefined;
  /** What a request may cost, however much the limit has left. Default: none. */
  readonly maxCost?: number | undefined;
  /** How many fields may have an alias. Default: none. */
  readonly maxAliases?: number | undefined;
  /** Tokens of a request's text, all of a batch together. Default 10000. */
  readonly maxTokens?: number | undefined;
  /** Cost of a string that is no document, from 1. Default 1. */
  readonly invalid?: number | undefined;
  /** Cost of a request without a string, from 1, or a function that answers such a cost or finds its text. Default 1. */
  readonly unknown?:
    | number
    | ((request: GraphqlRequest, req: Req) => Awaitable<number | string | null | undefined>)
    | undefined;
  /** Finds what is asked, where it is neither in the body nor in the URL. */
  readonly from?:
    | ((req: Req) => Awaitable<GraphqlRequest | readonly GraphqlRequest[] | null | undefined>)
    | undefined;
}

const cost = expecting("a whole number from 0 to 2^53 - 1", isWhole);
const fieldCost = expecting(
  "a whole number from 0, or { cost, pageSize } of whole numbers",
  isFieldCost,
);

const fields: z.ZodType = z.strictObject({
  model: oneOf("complexity", "nodes", "github").optional(),
  scalar: cost.optional(),
  object: cost.optional(),
  connection: cost.optional(),
  mutation: cost.optional(),
  fields: z.record(z.string(), fieldCost).optional(),
  defaultPageSize: wholeFromOne.optional(),
  maxPageSize: wholeFromOne.optional(),
  pageArguments: z
    .array(expecting("the name of an argument", (v) => typeof v === "string" && nameOnly.test(v)))
    .optional(),
  schema: expecting("a GraphQLSchema", isSchema).optional(),
  maxDepth: expecting(
    "a whole number from 1 to 500",
    (v) => isWhole(v) && v >= 1 && v <= 500,
  ).optional(),
  maxCost: wholeFromOne.optional(),
  maxAliases: cost.optional(),
  maxTokens: wholeFromOne.optional(),
  invalid: wholeFromOne.optional(),
  unknown: expecting(
    "a whole number of at least 1, or a function",
    (v) => isFunction(v) || (isWhole(v) && v >= 1),
  ).optional(),
  from: aFunction.optional(),
});

/** Throws a `ConfigError` that names each option that does not fit; answers what was checked. */
export function checkGraphqlCostOptions<Options extends GraphqlCostOptions<never>>(
  options: Options,
): Options {
  const checked = checkOptions(fields, options);
  const issues = Object.keys(checked.fields ?? {}).flatMap((name) => misnamed(name, checked));
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

const nameOnly = /^[_A-Za-z]\w*$/;

/** A cost under a name that no field has would be no cost. */
function misnamed(name: string, { schema, fields = {} }: GraphqlCostOptions<never>): ConfigIssue[] {
  const issue = (expected: string): ConfigIssue[] => [
    { path: `fields.${name}`, expected, received: `${received(fields[name])} under this name` },
  ];
  const [type, field, ...rest] = name.split(".") as [string, string?, ...string[]];
  if (![type, field ?? type].every((part) => nameOnly.test(part)) || rest.length > 0) {
    return issue("the name of a field, or of a type and its field");
  }
  if (field === undefined) {
    const known = !schema || Object.values(schema.getTypeMap()).some((one) => has(one, type));
    return known ? [] : issue("the name of a field that the schema has");
  }
  if (!schema) return issue("the name of a field alone where no schema is given");
  const known = has(schema.getType(type), field);
  return known ? [] : issue("a type of the schema and a field that it has");
}

function has(type: unknown, field: string): boolean {
  const { getFields } = (type ?? {}) as { getFields?: () => object };
  return getFields !== undefined && Object.hasOwn(getFields.call(type), field);
}

function isFieldCost(value: unknown): boolean {
  if (isWhole(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  const { cost, pageSize, ...rest } = value as Record<string, unknown>;
  return (
    Object.keys(rest).length === 0 &&
    (cost === undefined || isWhole(cost)) &&
    (pageSize === undefined || (isWhole(pageSize) && pageSize >= 1))
  );
}

/** Not by its class: the application may have another copy of the package. */
function isSchema(value: unknown): boolean {
  const { getType, getTypeMap } = (value ?? {}) as Partial<GraphQLSchema>;
  return typeof getType === "function" && typeof getTypeMap === "function";
}
