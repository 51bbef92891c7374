export { type GraphqlCost, graphqlCost } from "./graphql-cost.ts";
export type { FieldCost, GraphqlCostOptions } from "./graphql-cost-options.ts";
export type { ExceededOption, GraphqlReport } from "./graphql-report.ts";
export type { GraphqlRequest } from "./graphql-request.ts";
export type { ModelName } from "./model.ts";
