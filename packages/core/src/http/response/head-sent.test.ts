import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { isHeadSent } from "./head-sent.ts";
import { holdFields } from "./held-fields.ts";
import { whenAnswered } from "./when-answered.ts";

describe("a head, on a response that tells of something else", () => {
  const telling = (value: boolean) => {
    const { res } = requestOf();
    Object.defineProperty(res, "headersSent", { get: () => value });
    return res;
  };

  it.each([true, false])("is sent when Node has sent it: %s", (value) => {
    const res = telling(value);
    const behind = new Proxy(res, {});
    expect([isHeadSent(res), isHeadSent(behind)]).toEqual([false, false]);
    res.writeHead(200);
    expect([isHeadSent(res), isHeadSent(behind)]).toEqual([true, true]);
  });

  it.each([true, false])(
    "has the fields that are held, and the status that it went out with: %s",
    (value) => {
      const res = telling(value);
      const statuses: number[] = [];
      whenAnswered(res, (status) => statuses.push(status));
      holdFields(res, [["X-RateLimit-Limit", "5"]]);
      res.removeHeader("X-RateLimit-Limit");
      res.writeHead(201);
      expect(res.getHeader("x-ratelimit-limit")).toBe("5");
      res.emit("close");
      expect(statuses).toEqual([201]);
    },
  );

  it("is what it says itself where it is not Node's", () => {
    const answers = [true, false, undefined].map((headersSent) =>
      isHeadSent({ headersSent } as { headersSent: boolean }),
    );
    expect(answers).toEqual([true, false, undefined]);
  });
});
