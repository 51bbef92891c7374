import { expect, it } from "vitest";
import { compileMatches } from "../src/http/match/compile-matches.ts";
import { pageAt, tablesOf } from "./docs/page.ts";
import { callOf } from "./http-scenarios/requests.ts";

const [table] = tablesOf(pageAt("docs/matching.md")).filter(({ mark }) => mark === "matches");
const [, ...rows] = table!.rows.map((row) => row.map((cell) => cell.replaceAll("`", "")));

it.each(rows as [string, string, string][])("%s, asked for %s: %s", (pattern, request, matches) => {
  const [method, url] = request.includes(" ") ? request.split(" ") : ["GET", request];
  const call = callOf({ method: method! });
  call.raw.url = url!;
  expect(compileMatches([pattern], "rules").first(call)).toBe(matches === "yes" ? 0 : -1);
});
