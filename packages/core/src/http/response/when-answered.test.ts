import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { clientLeft, whenAnswered } from "./when-answered.ts";

describe("whenAnswered", () => {
  it("tells the status on the wire, or that the client left before the head", () => {
    for (const [head, over, status] of [
      [true, "close", 418],
      [true, "finish", 418],
      [false, "close", clientLeft],
    ] as const) {
      const { res } = requestOf();
      res.statusCode = 418;
      if (head) res.flushHeaders();
      const told: number[] = [];
      whenAnswered(res, (status) => told.push(status));
      expect(told).toEqual([]);
      for (const event of [over, "close"]) res.emit(event);
      expect(told).toEqual([status]);
    }
  });
});
