/** What a GraphQL request asks for, all entries of a batch together. */
export interface GraphqlReport {
  /** At least 1, by structure; 2^53 - 1 when not calculated. */
  readonly cost: number;
  /**
   * Levels of fields of the deepest operation; when `exceeds` is `"maxDepth"`, only a depth that is already too large.
   */
  readonly depth: number;
  /** Fields with an alias. */
  readonly aliases: number;
  /** The first option that the request exceeds: it must be refused, whatever is left of the limit. */
  readonly exceeds: ExceededOption | undefined;
}

/** An option of `graphqlCost` that a request can exceed. */
export type ExceededOption = "maxTokens" | "maxDepth" | "maxAliases" | "maxCost";
