import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import type { Refusal } from "../verdict.ts";
import { sendRefusal } from "./send.ts";

const refusal = {
  kind: "refuse",
  status: 429,
  body: { contentType: "text/plain; charset=utf-8", text: "späť" },
} as Refusal;

describe("sendRefusal", () => {
  it("sends status, type and length in bytes", () => {
    const { res } = requestOf();
    sendRefusal(res, refusal);
    expect(res.statusCode).toBe(429);
    expect(res.getHeader("content-type")).toBe("text/plain; charset=utf-8");
    expect(res.getHeader("content-length")).toBe(6);
    expect(res.writableEnded).toBe(true);
  });

  it("adds nothing to an answer that somebody has begun, and ends it", () => {
    const { res } = requestOf();
    res.writeHead(200, { "X-Own": "1" });
    sendRefusal(res, refusal);
    expect([res.statusCode, res.hasHeader("content-type"), res.writableEnded]).toEqual([
      200,
      false,
      true,
    ]);
  });

  it("leaves an answer alone that is complete", () => {
    const { res } = requestOf();
    res.end("mine");
    expect(() => sendRefusal(res, refusal)).not.toThrow();
    expect(res.statusCode).toBe(200);
  });
});
