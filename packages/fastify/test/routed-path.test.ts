import { expect, it } from "vitest";
import { pathOfRoute } from "../src/routed-path.ts";

it.each<[pattern: string, params: Record<string, unknown>, path: string]>([
  ["/", {}, "/"],
  ["/login", {}, "/login"],
  ["/users/:id", { id: "42" }, "/users/42"],
  ["/users/:id", { id: "a/b é" }, "/users/a%2Fb%20%C3%A9"],
  ["/users/:id/posts/:post", { id: 4, post: "" }, "/users/4/posts/"],
  ["/a/:id?", {}, "/a/"],
  ["/files/*", { "*": "a/b c" }, "/files/a/b%20c"],
  ["*", { "*": "/x" }, "/x"],
  ["/at/:hour-:minute", { hour: "8", minute: "15" }, "/at/8-15"],
  ["/img/:name(^\\d(\\)|x)+).png", { name: "1x" }, "/img/1x.png"],
  ["/:a(^[a-z]+$)?", { a: "b" }, "/b"],
  ["/v::1/:id", { id: "7" }, "/v:1/7"],
  ["/caf%C3%A9", {}, "/caf%25C3%25A9"],
])("the path of a route %s with %j is %s", (pattern, params, path) => {
  expect(pathOfRoute(pattern, params)).toBe(path);
});
