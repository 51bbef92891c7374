/** What each kind of field costs. */
export interface Model {
  readonly scalar: number;
  readonly object: number;
  readonly connection: number;
  /** Of one item of a page. */
  readonly item: number;
  /** Undefined: as any other field. */
  readonly mutation: number | undefined;
  /** How much makes one unit; what is left is rounded, halves up. */
  readonly unit: number;
}

/** A ready-made way to weigh fields. */
export type ModelName = "complexity" | "nodes" | "github";

/** What of the options says what fields cost. */
type ModelOptions = {
  readonly [Kind in "scalar" | "object" | "connection" | "mutation"]?: number | undefined;
} & { readonly model?: ModelName | undefined };

const models: Readonly<Record<ModelName, Omit<Model, "item" | "mutation"> & { item?: number }>> = {
  complexity: { scalar: 0, object: 1, connection: 1, unit: 1 },
  nodes: { scalar: 0, object: 0, connection: 0, item: 1, unit: 1 },
  // One request for each page, over all the items that it is asked for; a hundred make a point.
  github: { scalar: 0, object: 0, connection: 1, item: 0, unit: 100 },
};

/** The model of checked options: what they leave out is the model's own. */
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
