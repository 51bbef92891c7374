import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from "graphql";
import type { FieldRules } from "./field-rules.ts";
import type { PageSizes } from "./page-size.ts";
import type { Values } from "./values.ts";
import type { Work } from "./work.ts";

/** A field as requested. */
export interface Field {
  /** Its name in the response: the alias, or the name. */
  readonly response: string;
  readonly name: string;
  readonly cost: number | undefined;
  /** Items requested; undefined when none are requested by number. */
  readonly size: number | undefined;
  /** Undefined without a schema. */
  readonly list: boolean | undefined;
  readonly inner: Selection | undefined;
}

/** The content of two braces, including inline fragments and without what is skipped. */
export interface Selection {
  readonly id: number;
  readonly fields: Field[];
  /** Of the fragments spread here. */
  readonly spreads: Selection[];
}

/** An operation's fields, and how many have an alias. */
export interface Outline {
  readonly root: Selection;
  readonly aliases: number;
}

/** What outlining needs besides the document. */
export interface Drafting {
  readonly schema: GraphQLSchema | undefined;
  readonly rules: FieldRules;
  readonly pageSizes: PageSizes;
}

/** Outlines one operation: each selection once, however often it is spread. Incomplete if the budget runs out. */
export function outlineOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  values: Values,
  { schema, rules, pageSizes }: Drafting,
  work: Work,
): Outline {
  // A list instead of recursion, as a text may nest deeper than calls can.
  const pending: [
    nodes: readonly SelectionNode[],
    into: Selection,
    type: GraphQLNamedType | undefined,
  ][] = [];
  const spread = new Map<string, Selection>();
  let selections = 0;
  let aliases = 0;

  function open(
    { selections: nodes }: { readonly selections: readonly SelectionNode[] },
    type: GraphQLNamedType | undefined,
  ): Selection {
    const selection: Selection = { id: selections++, fields: [], spreads: [] };
    pending.push([nodes, selection, type]);
    return selection;
  }

  function typeNamed(name: string): GraphQLNamedType | undefined {
    return schema?.getType(name);
  }

  function add(node: SelectionNode, into: Selection, type: GraphQLNamedType | undefined): void {
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition;
      const narrowed = condition ? typeNamed(condition.name.value) : type;
      pending.push([node.selectionSet.selections, into, narrowed]);
      return;
    }
    const name = node.name.value;
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(name);
      if (!fragment) return;
      const known =
        spread.get(name) ??
        open(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value));
      spread.set(name, known);
      into.spreads.push(known);
      return;
    }
    if (node.alias) aliases++;
    const rule = rules(type, name);
    const size = pageSizes(node.arguments, rule, values);
    // Introspection is answered from memory, so what it asks for does not matter.
    const asked = name.startsWith("__") ? undefined : node.selectionSet;
    into.fields.push({
      response: node.alias?.value ?? name,
      name,
      cost: rule.cost,
      size,
      list: rule.list,
      inner: asked && open(asked, rule.type),
    });
  }

  const roots = {
    query: schema?.getQueryType(),
    mutation: schema?.getMutationType(),
    subscription: schema?.getSubscriptionType(),
  };
  const root = open(operation.selectionSet, roots[operation.operation] ?? undefined);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [nodes, into, type] = next;
    for (const node of nodes) {
      if (!work.spend(sizeOf(node))) return { root, aliases };
      if (isIncluded(node, values)) add(node, into, type);
    }
  }
  return { root, aliases };
}

/** Counts a field, its arguments and its directives: each operation that spreads it visits all of them. */
function sizeOf(node: SelectionNode): number {
  const own = node.kind === Kind.FIELD ? (node.arguments?.length ?? 0) : 0;
  const { directives = [] } = node;
  return directives.reduce((sum, one) => sum + 1 + (one.arguments?.length ?? 0), 1 + own);
}

/** Includes what cannot be determined. */
function isIncluded({ directives = [] }: SelectionNode, values: Values): boolean {
  for (const { name, arguments: given = [] } of directives) {
    if (name.value !== "skip" && name.value !== "include") continue;
    const condition = given.find((argument) => argument.name.value === "if");
    if (condition && values(condition.value) === (name.value === "skip")) return false;
  }
  return true;
}
