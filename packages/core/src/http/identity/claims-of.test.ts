import { expect, it } from "vitest";
import { claimsOf } from "./claims-of.ts";

const claims = { sub: "ada" };

it.each([
  ["claims", claims, claims],
  ["a token with its parts", { header: { alg: "RS256" }, payload: claims, token: "a.b.c" }, claims],
  ["claims that are called so", { payload: "x", token: "y" }, { payload: "x", token: "y" }],
  ["nothing", undefined, undefined],
  ["null", null, null],
  ["a string", "ada", "ada"],
])("finds the claims in %s", (_, auth, expected) => {
  expect(claimsOf(auth)).toEqual(expected);
});
