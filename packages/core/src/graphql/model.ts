/** The cost of each kind of field. */
export interface Model {
  readonly scalar: number;
  readonly object: number;
  readonly connection: number;
  /** Cost of one item of a page. */
  readonly item: number;
  /** Undefined: as any other field. */
  readonly mutation: number | undefined;
  /** How much makes one unit; the quotient is rounded, halves up. */
  readonly unit: number;
}

/** A predefined way to weigh fields. */
export type ModelName = "complexity" | "nodes" | "github";

/** The options that set costs. */
type ModelOptions = {
  readonly [Kind in "scalar" | "object" | "connection" | "mutation"]?: number | undefined;
} & { readonly model?: ModelName | undefined };

const models: Readonly<Record<ModelName, Omit<Model, "item" | "mutation"> & { item?: number }>> = {
  complexity: { scalar: 0, object: 1, connection: 1, unit: 1 },
  nodes: { scalar: 0, object: 0, connection: 0, item: 1, unit: 1 },
  // One request per page, times the items that it is requested for; a hundred make a point.
  github: { scalar: 0, object: 0, connection: 1, item: 0, unit: 100 },
};

/** Returns the model of validated options, with the named model's defaults. */
export function modelOf(options: ModelOptions): Model {
  const own = models[options.model ?? "complexity"];
  const object = options.object ?? own.object;
  return {
    scalar: options.scalar ?? own.scalar,
    object,
    connection: options.connection ?? own.connection,
    item: own.item ?? object,
    mutation: options.mutation,
    unit: own.unit,
  };
}
