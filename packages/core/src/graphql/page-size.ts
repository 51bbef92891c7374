import type { ArgumentNode } from "graphql";
import type { FieldRule } from "./field-rules.ts";
import type { GraphqlCostOptions } from "./graphql-cost-options.ts";
import { unaffordable } from "./saturating.ts";
import { numberOf, type Values } from "./values.ts";

/** Returns how many items a field is requested for; undefined when none are requested by number. */
export type PageSizes = (
  given: readonly ArgumentNode[] | undefined,
  rule: FieldRule,
  values: Values,
) => number | undefined;

/** Compiles validated options. */
export function pageSizesOf(options: GraphqlCostOptions<never>): PageSizes {
  const {
    pageArguments = ["first", "last"],
    defaultPageSize = 10,
    maxPageSize = unaffordable,
  } = options;
  return (given, rule, values) => {
    let paged = false;
    let size = 0;
    for (const name of pageArguments) {
      const argument = given?.find((one) => one.name.value === name);
      paged ||= argument !== undefined || rule.arguments?.has(name) === true;
      const value = (argument && values(argument.value)) ?? rule.arguments?.get(name) ?? undefined;
      if (value !== undefined) {
        size = Math.max(size, itemsIn(value) ?? rule.pageSize ?? defaultPageSize);
      }
    }
    if (size === 0) size = rule.pageSize ?? (paged ? defaultPageSize : 0);
    return size === 0 ? undefined : Math.min(size, maxPageSize);
  };
}

/** Only digits, or so many that the rest is not checked. */
const startsAsNumber = /^(?:\d{1,400}$|\d{401})/;

/** Returns undefined for anything but a number of items, and for 0, which many servers treat as absent. */
function itemsIn(value: unknown): number | undefined {
  if (Array.isArray(value)) return Math.max(1, value.length);
  const number = typeof value === "string" && startsAsNumber.test(value) ? numberOf(value) : value;
  if (typeof number !== "number" || Number.isNaN(number) || number === 0) return undefined;
  // Some servers count a negative number from the end.
  return Math.ceil(Math.min(Math.abs(number), unaffordable));
}
