import { expect, it } from "vitest";
import { readerOf } from "./source-reader.ts";

it.each<[header: string, value: string | undefined]>([
  ["plan=gold", "gold"],
  ["a=b; plan=gold; plan=none", "gold"],
  ['plan="gold"', "gold"],
  ["plan=", undefined],
  ["planX", undefined],
  ["plan", undefined],
  ["planX; plan=gold", "gold"],
  ["xplan=gold", undefined],
])("reads of the cookies %j as plan %j", (cookie, value) => {
  expect(readerOf({ cookie: "plan" })({ headers: { cookie } })).toBe(value);
});

it.each<[request: object, value: string | undefined]>([
  [{ url: "/a?plan=gold" }, "gold"],
  [{ url: "/a?plan=gold%20one&plan=none" }, "gold one"],
  [{ url: "/", originalUrl: "/a?plan=gold" }, "gold"],
  [{ url: "/a?plan=" }, undefined],
  [{ url: "/a#?plan=gold" }, undefined],
  [{}, undefined],
])("reads of the query of %j as plan %j", (request, value) => {
  expect(readerOf({ query: "plan" })(request)).toBe(value);
});
