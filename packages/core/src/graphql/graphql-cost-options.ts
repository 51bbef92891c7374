import type { GraphQLSchema } from "graphql";
import { z } from "zod";
import type { Awaitable } from "../awaitable.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { checkOptions } from "../options/check-options.ts";
import { aFunction, expecting, isFunction, oneOf, wholeFromOne } from "../options/expecting.ts";
import { isWhole } from "../whole.ts";
import type { GraphqlRequest } from "./graphql-request.ts";
import type { ModelName } from "./model.ts";

/** The cost of one field, overriding that of its kind; `pageSize` is its number of items if no argument says. */
export type FieldCost =
  | number
  | { readonly cost?: number | undefined; readonly pageSize?: number | undefined };

/** How the cost of queries is calculated. All costs are whole numbers, 0 or more. */
export interface GraphqlCostOptions<Req = unknown> {
  /** What is added up: objects and pages, only nodes, or requests as GitHub's points do. Default `"complexity"`. */
  readonly model?: ModelName | undefined;
  /** Cost of a field without a selection. Default 0. */
  readonly scalar?: number | undefined;
  /** Cost of a field with a selection, and of each item of a page. Default 1; 0 in the other models. */
  readonly object?: number | undefined;
  /** Cost of a field that returns a page, besides its items. Default 1; 0 in the `"nodes"` model. */
  readonly connection?: number | undefined;
  /** Cost of each top-level field of a mutation. Default: as any other field. */
  readonly mutation?: number | undefined;
  /** Costs by field name, such as `search`; with a schema also `Query.search`. */
  readonly fields?: Readonly<Record<string, FieldCost>> | undefined;
  /** Items of a page of unspecified size. Default 10. */
  readonly defaultPageSize?: number | undefined;
  /** Maximum items of a page, whatever is requested, as enforced by the server itself. Default: none. */
  readonly maxPageSize?: number | undefined;
  /** Arguments that give the number of items; for a list, its length. Default `["first", "last"]`. */
  readonly pageArguments?: readonly string[] | undefined;
  /** Provides which fields return lists, the defaults of arguments, and the names of types. */
  readonly schema?: GraphQLSchema | undefined;
  /** Maximum levels of fields, 1 to 500. Default 100. */
  readonly maxDepth?: number | undefined;
  /** Maximum cost of a request, however much of the limit is left. Default: none. */
  readonly maxCost?: number | undefined;
  /** Maximum number of fields with an alias. Default: none. */
  readonly maxAliases?: number | undefined;
  /** Maximum tokens of a request's text, those of a batch together. Default 10000. */
  readonly maxTokens?: number | undefined;
  /** Cost of a string that is not a document, 1 or more. Default 1. */
  readonly invalid?: number | undefined;
  /**
   * Cost of a request without a query string, 1 or more, or a function that returns such a cost or the text. Default 1.
   */
  readonly unknown?:
    | number
    | ((request: GraphqlRequest, req: Req) => Awaitable<number | string | null | undefined>)
    | undefined;
  /** Returns the GraphQL request, or several, when they are in neither the body nor the URL. */
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

/** Validates options. Throws a `ConfigError` naming each invalid one; returns the validated values. */
export function checkGraphqlCostOptions<Options extends GraphqlCostOptions<never>>(
  options: Options,
): Options {
  const checked = checkOptions(fields, options);
  const issues = Object.keys(checked.fields ?? {}).flatMap((name) => misnamed(name, checked));
  if (issues.length > 0) throw new ConfigError(issues);
  return checked;
}

const nameOnly = /^[_A-Za-z]\w*$/;

/** Finds a cost whose name matches no field, since it would have no effect. */
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

/** Not by class: the application may have another copy of the package. */
function isSchema(value: unknown): boolean {
  const { getType, getTypeMap } = (value ?? {}) as Partial<GraphQLSchema>;
  return typeof getType === "function" && typeof getTypeMap === "function";
}
