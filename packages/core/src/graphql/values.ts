import { Kind, type OperationDefinitionNode, type ValueNode } from "graphql";

/** Tells what a value is in this request: a number, a string, true or false, a list; null or undefined where nothing. */
export type Values = (node: ValueNode) => unknown;

/** Values by the names of variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** Reads values of an operation: literals as they stand, variables as they were given or else by their default. */
export function valuesOf(operation: OperationDefinitionNode, given: Variables): Values {
  const defaults = new Map(
    operation.variableDefinitions?.map((one) => [one.variable.name.value, one.defaultValue]),
  );
  return (node) => {
    if (node.kind !== Kind.VARIABLE) return literal(node);
    const name = node.name.value;
    if (Object.hasOwn(given, name)) return given[name];
    const value = defaults.get(name);
    return value && literal(value);
  };
}

function literal(node: ValueNode): unknown {
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
      // An object or a name: there, but no number.
      return "";
  }
}

/** Reads the text of a number. One of more digits than numbers have counts as the largest, without being read. */
export function numberOf(text: string): number {
  return text.length > longestNumber ? Number.POSITIVE_INFINITY : Number(text);
}

/** More than any number needs: each field that takes a value reads it anew. */
const longestNumber = 400;

/** Reads what was given as variables: an object, or the JSON of one; anything else has none. */
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
