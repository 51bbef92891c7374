import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import { carriedBy } from "./carried.ts";

describe("carriedBy", () => {
  it("is one for a request, and another for another", () => {
    const [a, b] = [requestOf(), requestOf()];
    expect(carriedBy(a)).toBe(carriedBy(a));
    expect(carriedBy(a)).not.toBe(carriedBy(b));
  });

  it("is shared by copies of the package", async () => {
    const req = requestOf();
    const carried = carriedBy(req);
    vi.resetModules();
    const copy = await import("./carried.ts");
    expect(copy.carriedBy(req)).toBe(carried);
  });

  it("is not met by whoever compares, copies or prints what it hangs on", () => {
    const req = requestOf();
    req.rawHeaders.push("Host", "localhost");
    carriedBy(req);
    expect(req.rawHeaders).toEqual(["Host", "localhost"]);
    expect(Reflect.ownKeys({ ...req.rawHeaders })).toEqual(["0", "1"]);
    expect(inspect(req)).not.toContain("spillway");
  });

  it.each([
    ["a frozen list", { rawHeaders: Object.freeze([]) }],
    ["no list", {}],
    ["something else in its place", { rawHeaders: "none" }],
  ])("hangs on the request itself where there is %s", (_, request) => {
    const carried = carriedBy(request);
    expect(carriedBy(request)).toBe(carried);
  });
});
