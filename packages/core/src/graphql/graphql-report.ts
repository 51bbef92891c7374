/** What a GraphQL request asks for, all of a batch together. */
export interface GraphqlReport {
  /** By structure, at least 1; 2^53 - 1 where that was not worked out. */
  readonly cost: number;
  /** Levels of fields, of the deepest operation; where `exceeds` is `"maxDepth"`, no more is known than that it is deeper. */
  readonly depth: number;
  /** Fields with an alias. */
  readonly aliases: number;
  /** The first option that it goes beyond: it is not to be admitted, whatever is left. */
  readonly exceeds: ExceededOption | undefined;
}

/** An option of `graphqlCost` that a request can go beyond. */
export type ExceededOption = "maxTokens" | "maxDepth" | "maxAliases" | "maxCost";
