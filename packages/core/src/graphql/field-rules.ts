import type {
  ConstValueNode,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
} from "graphql";
import type { FieldCost, GraphqlCostOptions } from "./graphql-cost-options.ts";
import { literalValue } from "./values.ts";

/** What is known of a field without its arguments. */
export interface FieldRule {
  /** Overrides the cost of its kind. */
  readonly cost: number | undefined;
  /** Number of items if no argument says. */
  readonly pageSize: number | undefined;
  /** Whether it returns a list; undefined without a schema. */
  readonly list: boolean | undefined;
  /** The type of its selection; undefined without a schema. */
  readonly type: GraphQLNamedType | undefined;
  /** The defaults of its arguments; undefined without a schema. */
  readonly arguments: ReadonlyMap<string, unknown> | undefined;
}

/** Returns the rule of a field, by its parent type if a schema is given. */
export type FieldRules = (type: GraphQLNamedType | undefined, field: string) => FieldRule;

const unruled: FieldRule = {
  cost: undefined,
  pageSize: undefined,
  list: undefined,
  type: undefined,
  arguments: undefined,
};

/** Compiles validated options. */
export function fieldRulesOf({ fields = {}, schema }: GraphqlCostOptions<never>): FieldRules {
  const costs = new Map(Object.entries(fields).map(([name, cost]) => [name, entryOf(cost)]));
  const anyOfType = new Map(
    [...costs].map(([name, { cost, pageSize }]) => {
      return [name, { ...unruled, cost, pageSize }] as const;
    }),
  );
  // Only existing fields: clients can invent any number of names.
  const known = new Map<string, FieldRule>();
  return (type, field) => {
    const definition = type && fieldsOf(type)[field];
    if (!schema || !definition) return anyOfType.get(field) ?? unruled;
    const name = `${type.name}.${field}`;
    const rule = known.get(name);
    if (rule) return rule;
    const { list, type: inner } = unwrapped(definition.type);
    const made = {
      ...entryFor(type, field, costs, schema),
      list,
      type: inner,
      arguments: new Map(definition.args.map((each) => [each.name, defaultOf(each)])),
    };
    known.set(name, made);
    return made;
  };
}

interface FieldPrice {
  readonly cost: number | undefined;
  readonly pageSize: number | undefined;
}

function entryOf(cost: FieldCost): FieldPrice {
  if (typeof cost === "number") return { cost, pageSize: undefined };
  return { cost: cost.cost, pageSize: cost.pageSize };
}

/**
 * Returns the entry for the type itself, else the highest of its possible types, of its interfaces, or of the field
 * alone.
 */
function entryFor(
  type: GraphQLNamedType,
  field: string,
  costs: ReadonlyMap<string, FieldPrice>,
  schema: GraphQLSchema,
): FieldPrice {
  const own = costs.get(`${type.name}.${field}`);
  if (own) return own;
  const alone = costs.get(field);
  if (isA(type, "Interface") || isA(type, "Union")) {
    const possible = schema.getPossibleTypes(type as never);
    return highest(possible.map((one) => costs.get(`${one.name}.${field}`) ?? alone));
  }
  const implemented =
    (type as { getInterfaces?: () => GraphQLNamedType[] }).getInterfaces?.() ?? [];
  const named = implemented.map((one) => costs.get(`${one.name}.${field}`));
  return named.some(Boolean) ? highest(named) : highest([alone]);
}

function highest(entries: readonly (FieldPrice | undefined)[]): FieldPrice {
  return { cost: maximum(entries, "cost"), pageSize: maximum(entries, "pageSize") };
}

function maximum(
  entries: readonly (FieldPrice | undefined)[],
  name: keyof FieldPrice,
): number | undefined {
  const values = entries.flatMap((entry) => entry?.[name] ?? []);
  return values.length === 0 ? undefined : Math.max(...values);
}

interface Definition {
  readonly type: GraphQLOutputType;
  readonly args: readonly Argument[];
}

/** An argument with its default, which graphql 17 keeps as a value or as the literal of the schema's text. */
interface Argument {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
  readonly default?: { readonly value?: unknown; readonly literal?: ConstValueNode } | undefined;
}

function defaultOf({ defaultValue, default: given, type }: Argument): unknown {
  if (given === undefined) return defaultValue;
  const value = given.literal === undefined ? given.value : literalValue(given.literal);
  // A single value stands for a list of it; graphql 16 has made one of it already.
  const single = value !== undefined && value !== null && !Array.isArray(value);
  return single && unwrapped(type).list ? [value] : value;
}

function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, Definition | undefined>> {
  const fields = (type as { getFields?: () => Record<string, Definition> }).getFields?.();
  return isA(type, "Object") || isA(type, "Interface") ? (fields ?? {}) : {};
}

function unwrapped(type: GraphQLInputType | GraphQLOutputType): {
  list: boolean;
  type: GraphQLNamedType;
} {
  let list = false;
  let inner: unknown = type;
  while (isA(inner, "List") || isA(inner, "NonNull")) {
    list ||= isA(inner, "List");
    inner = (inner as { ofType: unknown }).ofType;
  }
  return { list, type: inner as GraphQLNamedType };
}

type Kind = "Object" | "Interface" | "Union" | "List" | "NonNull";

/** Not by class: the application may have another copy of the package. */
function isA(type: unknown, kind: Kind): boolean {
  const tag = (type as { [Symbol.toStringTag]?: string })[Symbol.toStringTag];
  return tag === `GraphQL${kind}` || tag === `GraphQL${kind}Type`;
}
