import { describe, expect, it, vi } from "vitest";
import { requestOf } from "../../test/http-scenarios/requests.ts";
import { carriedBy, carriedIf } from "./carried.ts";

describe("carriedBy", () => {
  it("is one for a request, and another for another, whatever they share", () => {
    const [a, b] = [requestOf(), requestOf()];
    b.rawHeaders = a.rawHeaders;
    expect(carriedBy(a)).toBe(carriedBy(a));
    expect(carriedBy(a)).not.toBe(carriedBy(b));
  });

  it("stays when the list of raw fields is replaced, and behind a proxy", () => {
    const req = requestOf();
    const carried = carriedBy(req);
    req.rawHeaders = [...req.rawHeaders];
    expect(carriedBy(req)).toBe(carried);
    expect(carriedBy(new Proxy(req, {}))).toBe(carried);
  });

  it("is shared by copies of the package", async () => {
    const req = requestOf();
    const carried = carriedBy(req);
    vi.resetModules();
    const copy = await import("./carried.ts");
    expect(copy.carriedBy).not.toBe(carriedBy);
    expect(copy.carriedBy(req)).toBe(carried);
  });
});

describe("carriedIf", () => {
  it("begins nothing", () => {
    const req = requestOf();
    expect(carriedIf(req)).toBeUndefined();
    expect(carriedIf(req)).toBeUndefined();
    const carried = carriedBy(req);
    expect(carriedIf(req)).toBe(carried);
  });
});
