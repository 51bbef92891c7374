import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
} from "graphql";
import { fieldRulesOf } from "./field-rules.ts";
import type { GraphqlCostOptions } from "./graphql-cost-options.ts";
import type { GraphqlReport } from "./graphql-report.ts";
import { modelOf } from "./model.ts";
import { type Drafting, outlineOf } from "./outline.ts";
import { pageSizesOf } from "./page-size.ts";
import { type Parsed, parseQuery } from "./parse-query.ts";
import { unaffordable } from "./saturating.ts";
import { type Variables, valuesOf, variablesOf } from "./values.ts";
import { type Weighing, weigh } from "./weigh.ts";
import { type Work, workOf } from "./work.ts";

/** Examines the documents of one request under a common budget; reads what several have in common once. */
export interface Examiner {
  /** Never throws, whatever the text. */
  examine(text: string, operationName: unknown, variables: unknown): GraphqlReport;
}

/**
 * The budget, in fields visited: the least, and more per token of the text; real queries need less than one per token.
 * Reading a string that is not a document costs `perText`; each `characters` of variables cost one.
 */
const work = { least: 5000, perToken: 5, perText: 20, characters: 64 };

/** The result for a string that is not read because the budget is used up. */
const beyond: Parsed = { document: undefined, tokens: 0, tooLong: true };

/** Compiles validated options into a factory of examiners, one per request. */
export function examinersOf(options: GraphqlCostOptions<never>): () => Examiner {
  const { schema, maxDepth = 100, maxTokens = 10_000, invalid = 1 } = options;
  const model = modelOf(options);
  const drafting: Drafting = {
    schema,
    rules: fieldRulesOf(options),
    pageSizes: pageSizesOf(options),
  };
  const weighing: Weighing = { model, defaultPageSize: options.defaultPageSize ?? 10, maxDepth };
  const noDocument: GraphqlReport = { cost: invalid, depth: 0, aliases: 0, exceeds: undefined };
  const tooLong: GraphqlReport = { cost: unaffordable, depth: 0, aliases: 0, exceeds: "maxTokens" };

  function reportOf(
    operation: OperationDefinitionNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    given: Variables,
    left: Work,
  ): GraphqlReport {
    const values = valuesOf(operation, given);
    const { root, aliases } = outlineOf(operation, fragments, values, drafting, left);
    const { cost, depth } = weigh(root, operation.operation === "mutation", weighing, left);
    if (left.exhausted()) return tooLong;
    if (depth > maxDepth) return { cost: unaffordable, depth, aliases, exceeds: "maxDepth" };
    const units = cost === unaffordable ? unaffordable : Math.max(1, Math.round(cost / model.unit));
    return { cost: units, depth, aliases, exceeds: undefined };
  }

  return () => {
    let tokens = maxTokens;
    const left = workOf(work.least);
    // Thousands of entries of a batch may share a string, from the URL or from `unknown`.
    const texts = new Map<string, Parsed>();
    const read = new Map<string, Variables>();

    function parsedOf(text: string): Parsed {
      const known = texts.get(text);
      if (known) return known;
      // Charged in advance, refunded for a document: a syntax error takes longer than a token.
      if (!left.spend(work.perText)) return beyond;
      const parsed = parseQuery(text, tokens);
      if (parsed.document) left.grant(work.perText);
      texts.set(text, parsed);
      return parsed;
    }

    /** Returns undefined when they exceed the budget. */
    function givenBy(variables: unknown): Variables | undefined {
      if (typeof variables !== "string") return variablesOf(variables);
      const known = read.get(variables);
      if (known) return known;
      if (!left.spend(Math.ceil(variables.length / work.characters))) return undefined;
      const given = variablesOf(variables);
      read.set(variables, given);
      return given;
    }

    return {
      examine(text, operationName, variables) {
        const parsed = parsedOf(text);
        if (parsed.tokens > tokens) return tooLong;
        tokens -= parsed.tokens;
        if (!parsed.document) return parsed.tooLong ? tooLong : noDocument;
        left.grant(work.perToken * parsed.tokens);
        const fragments = fragmentsOf(parsed.document);
        const given = givenBy(variables);
        if (!given) return tooLong;
        const reports = operationsOf(parsed.document, operationName).map((operation) =>
          reportOf(operation, fragments, given, left),
        );
        if (reports.length === 0) return noDocument;
        // A server must refuse several operations without a name; one that does not may run any.
        return reports.reduce((a, b) => (b.cost > a.cost ? b : a));
      },
    };
  };
}

function operationsOf({ definitions }: DocumentNode, name: unknown): OperationDefinitionNode[] {
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (typeof name !== "string" || name === "") return operations;
  return operations.filter((one) => one.name?.value === name);
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((one) => [one.name.value, one]));
}
