import { describe, expect, it } from "vitest";
import { graphqlCost } from "../src/graphql/index.ts";
import { apiKey, ip, user } from "../src/http/index.ts";
import { httpBanShape } from "../src/http/options/http-ban-options.ts";
import { checkHttpOptions } from "../src/http/options/http-options.ts";
import { httpPolicyShape, httpSharedShape } from "../src/http/options/http-schemas.ts";
import { ruleShape } from "../src/http/options/rule-options.ts";
import { createLimiter, memoryStore } from "../src/index.ts";
import { sharedShape } from "../src/options/limiter-options.ts";
import { policyShape } from "../src/options/policy-options.ts";
import { denyCache } from "../src/wrappers/deny-cache.ts";
import { fallbackStore } from "../src/wrappers/fallback-store.ts";
import { leasedStore } from "../src/wrappers/leased-store.ts";
import { pageAt, tablesOf } from "./docs/page.ts";

const tables = tablesOf(pageAt("docs/options.md")).filter(({ mark }) => mark === "options");

/** The options in the code, by the table that must document them. */
const known: Readonly<Record<string, () => readonly string[]>> = {
  policy: () => Object.keys(policyShape),
  ban: () => Object.keys(httpBanShape),
  "policy over HTTP": () => Object.keys(httpPolicyShape),
  limiter: () => Object.keys(sharedShape),
  rule: () => [...Object.keys(ruleShape), "policies", "unlimited"],
  "limiter over HTTP": () => Object.keys(httpSharedShape),
  apiKey: () => readBy((options) => apiKey(options)),
  user: () => readBy((options) => user(options)),
  ip: () => readBy((options) => ip(options)),
  graphqlCost: () => readBy((options) => graphqlCost(options)),
  fallbackStore: () => readBy((options) => fallbackStore(memoryStore(), options)),
  denyCache: () => readBy((options) => denyCache(memoryStore(), options)),
  leasedStore: () => readBy((options) => leasedStore(memoryStore(), options)),
  memoryStore: () => readBy((options) => memoryStore(options)),
  check: () => readBy((options) => createLimiter({ limit: 1, window: 1 }).check("a", options)),
};

/** Other options that an option requires. */
const beside: Readonly<Record<string, object>> = {
  burst: { algorithm: "token-bucket" },
  align: { algorithm: "fixed-window" },
  timeZone: { algorithm: "fixed-window", window: "day" },
  delay: { algorithm: "leaky-bucket" },
  maxDelay: { action: "delay" },
};

it("has a table for all that takes options", () => {
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(known).sort());
});

describe.each(tables)("the options of $name", ({ name, rows: [, ...rows] }) => {
  it("are those that the code knows", () => {
    const told = rows.flatMap(([option]) => option!.replaceAll("`", "").split(", "));
    expect(told.sort()).toEqual([...known[name]!()].sort());
  });

  const ofLimiters = /policy|limiter/.test(name);
  const values = rows.flatMap(([option, allowed, standard]) =>
    valuesIn(`${allowed} ${standard}`).map(
      (value) => [option!.replaceAll("`", ""), value] as const,
    ),
  );

  it.each(ofLimiters ? values : [])("take %s: %o", (option, value) => {
    const calendar = value === "day" || value === "month" ? { algorithm: "fixed-window" } : {};
    const options = { limit: 1, window: "1m", ...beside[option], ...calendar, [option]: value };
    expect(() => checkHttpOptions(options)).not.toThrow();
  });
});

/** Returns the values in a cell's code: strings, numbers, true and false. */
function valuesIn(cell: string): unknown[] {
  return [...cell.matchAll(/`("[^"`]*"|\d+|true|false)`/g)].map(([, json]) => JSON.parse(json!));
}

/** Returns the names that a function reads of the options passed to it. */
function readBy(reader: (options: object) => unknown): string[] {
  const names = new Set<string>();
  const options = new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name === "string") names.add(name);
        return undefined;
      },
    },
  );
  reader(options);
  return [...names];
}

it("tells every field of a decision, and of its statuses", async () => {
  const [table] = tablesOf(pageAt("docs/options.md")).filter(({ mark }) => mark === "fields");
  const [, ...rows] = table!.rows;
  const told = rows.flatMap(([names]) =>
    names!.replaceAll("`", "").replace(/\(.*/, "").split(", "),
  );
  const limiter = createLimiter({ limit: 1, window: "1m" });
  const decision = await limiter.check("a");
  expect(told.sort()).toEqual([...Object.keys(decision), "detail", "settle"].sort());
  const [, status] = rows.find(([name]) => name === "`statuses`")!;
  expect(Array.from(status!.matchAll(/`(\w+)`/g), ([, name]) => name)).toEqual(
    Object.keys(decision.statuses[0]!),
  );
});
