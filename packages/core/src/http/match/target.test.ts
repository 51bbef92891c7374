import { describe, expect, it } from "vitest";
import { callOf } from "../../../test/http-scenarios/requests.ts";
import { hostOf, pathOf } from "./target.ts";

describe("pathOf", () => {
  it.each([
    ["/", "/"],
    ["/a/b?x=/y#z", "/a/b"],
    ["/a#b?c", "/a"],
    ["/a?b#c", "/a"],
    ["?x", ""],
    ["*", "*"],
    ["http://host/a/b?x", "/a/b"],
    ["HTTPS://user@host:80/a", "/a"],
    ["http://host", ""],
    ["http://host?/a", ""],
    ["http://host#/a", ""],
    ["/http://host/a", "/http://host/a"],
    ["//host/a", "//host/a"],
    ["host:443", "host:443"],
    ["", ""],
  ])("of %j is %j", (url, path) => {
    const context = callOf();
    context.raw.url = url;
    expect(pathOf(context)).toBe(path);
  });

  it("is what the framework says, or the root", () => {
    const context = callOf();
    const framework = { ...context.framework, target: () => "/api/x?y" };
    expect(pathOf({ ...context, framework })).toBe("/api/x");
    Object.assign(context.raw, { url: undefined });
    expect(pathOf(context)).toBe("/");
  });
});

describe("hostOf", () => {
  it.each([
    ["example.com", "example.com"],
    ["EXAMPLE.com:8080", "example.com"],
    ["example.com.", "example.com"],
    ["example.com.:80", "example.com"],
    ["[::1]:3000", "[::1]"],
    ["[::1]", "[::1]"],
    ["example.com:", "example.com"],
    ["", ""],
    ["...", ".."],
    ["example.com:x", "example.com"],
    ["example.com:80:90", "example.com"],
    ["example.com, b.example", "example.com"],
    [" example.com :80", "example.com"],
    ["[::1]x:1", "[::1]"],
    ["[::1", "["],
    ["user@example.com", "user@example.com"],
    ["example.com:80@b.example", "example.com"],
  ])("of %j is %j", (host, name) => {
    expect(hostOf(callOf({ headers: { host } }))).toBe(name);
  });

  it("is what the framework says of user information, and of nothing else", () => {
    const framework = { ...callOf().framework, host: () => "b.example" };
    const of = (host: string) => hostOf({ ...callOf({ headers: { host } }), framework });
    expect(of("a@b.example:80")).toBe("b.example");
    expect(of("a.example")).toBe("a.example");
  });

  it("is the authority of HTTP/2, and nothing where there is neither", () => {
    expect(hostOf(callOf({ headers: { ":authority": "A.example:1", host: "b.example" } }))).toBe(
      "a.example",
    );
    expect(hostOf(callOf())).toBe("");
  });
});
