import { describe, expect, it } from "vitest";
import { parsePattern } from "./pattern.ts";

describe("parsePattern", () => {
  it.each([
    ["/", [], false],
    ["/a", ["a"], false],
    ["/a/", ["a"], false],
    ["/users/:id", ["users", null], false],
    ["/users/:id/posts/:post_2/", ["users", null, "posts", null], false],
    ["/*", [], true],
    ["/files/*", ["files"], true],
    ["/a.b-c_d~e/$count;v=1,2@x&y=", ["a.b-c_d~e", "$count;v=1,2@x&y="], false],
    ["/caf%C3%A9", ["caf%C3%A9"], false],
    ["/café/日本", ["café", "日本"], false],
    ["/50%25", ["50%25"], false],
    ["/../.", ["..", "."], false],
  ])("of %s", (text, segments, rest) => {
    expect(parsePattern(text)).toEqual({ segments, rest });
  });

  it.each([
    ["", "it begins with"],
    ["users", "it begins with"],
    ["*", "it begins with"],
    ["http://host/x", "it begins with"],
    ["//", 'not ""'],
    ["/a//b", 'not ""'],
    ["/a?", 'not "a?"'],
    ["/a?x=1", 'not "a?x=1"'],
    ["/:id?", 'not ":id?"'],
    ["/:id(\\d+)", 'not ":id(\\\\d+)"'],
    ["/users/:id.json", 'not ":id.json"'],
    ["/users/u:id", 'not "u:id"'],
    ["/:", 'not ":"'],
    ["/:1", 'not ":1"'],
    ["/*/a", 'not "*"'],
    ["/a*", 'not "a*"'],
    ["/*rest", 'not "*rest"'],
    ["/{a}", 'not "{a}"'],
    ["/[ab]", 'not "[ab]"'],
    ["/a|b", 'not "a|b"'],
    ["/^a", 'not "^a"'],
    ["/a+", 'not "a+"'],
    ["/a!", 'not "a!"'],
    ["/a#b", 'not "a#b"'],
    ["/a b", 'not "a b"'],
    ["/a\\b", 'not "a\\\\b"'],
    ["/a\u00a0b", 'not "a'],
    ["/a\nb", 'not "a\\nb"'],
  ])("refuses %j", (text, told) => {
    expect(parsePattern(text)).toContain(told);
  });
});
