import { Kind, type OperationDefinitionNode, type ValueNode } from "graphql";

/** Returns a value in this request: a number, a string, true or false, a list; null or undefined when there is none. */
export type Values = (node: ValueNode) => unknown;

/** The values of variables by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** Creates a reader of an operation's values: literals, and variables as given or by their default. */
export function valuesOf(operation: OperationDefinitionNode, given: Variables): Values {
  const defaults = new Map(
    operation.variableDefinitions?.map((one) => [one.variable.name.value, one.defaultValue]),
  );
  return (node) => {
    if (node.kind !== Kind.VARIABLE) return literalValue(node);
    const name = node.name.value;
    if (Object.hasOwn(given, name)) return given[name];
    const value = defaults.get(name);
    return value && literalValue(value);
  };
}

/** Returns the value of a literal: a number, a string, true or false, a list, null; "" for an object or a name. */
export function literalValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return numberOf(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values;
    case Kind.NULL:
      return null;
    default:
      // An object or a name: a value, but not a number.
      return "";
  }
}

/** Parses a number. One with too many digits counts as infinite, unread. */
export function numberOf(text: string): number {
  return text.length > longestNumber ? Number.POSITIVE_INFINITY : Number(text);
}

/** More than any number needs; bounds the work, as each field that takes a value parses it again. */
const longestNumber = 400;

/** Returns the given variables: an object, or the JSON of one; none for anything else. */
export function variablesOf(given: unknown): Variables {
  let value = given;
  if (typeof given === "string") {
    try {
      value = JSON.parse(given);
    } catch {
      return {};
    }
  }
  return typeof value === "object" && value !== null ? (value as Variables) : {};
}
