import { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { requestState } from "../request-state.ts";
import { appendFields, dropFields, holdFields } from "./held-fields.ts";
import { holdHeadsOf } from "./write-head.ts";

/** Returns the lines of the head that a response would send. */
function sent(res: ServerResponse): string[] {
  const head = (res as unknown as { _header: string })._header;
  return head
    .split("\r\n")
    .slice(1)
    .filter(
      (line) => line !== "" && !/^(Date|Connection|Keep-Alive|Transfer-Encoding):/.test(line),
    );
}

describe("held fields", () => {
  const held = (): ServerResponse => {
    const { res } = requestOf();
    holdFields(res, [["X-RateLimit-Limit", "5"]]);
    holdFields(res, [["X-RateLimit-Remaining", "4"]]);
    return res;
  };
  const own = ["X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 4"];

  it("are set at once, and replaced by later ones", () => {
    const res = held();
    expect(res.getHeader("x-ratelimit-limit")).toBe("5");
    holdFields(res, [["X-RateLimit-Limit", "3"]]);
    res.writeHead(200);
    expect(sent(res)).toEqual(["X-RateLimit-Limit: 3", "X-RateLimit-Remaining: 4"]);
  });

  it("come back after others removed or changed them", () => {
    const res = held();
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.setHeader("x-ratelimit-remaining", ["7", "8"]);
    res.setHeader("X-Own", "1");
    res.writeHead(500);
    expect(sent(res).sort()).toEqual([...own, "X-Own: 1"].sort());
  });

  it.each([
    ["an object", { "x-ratelimit-limit": "9", "X-Own": "1", "Set-Cookie": ["a", "b"] }],
    [
      "names and values",
      ["x-ratelimit-limit", "9", "X-Own", "1", "Set-Cookie", "a", "Set-Cookie", "b"],
    ],
    [
      "pairs",
      [
        ["x-ratelimit-limit", "9"],
        ["X-Own", "1"],
        ["Set-Cookie", "a"],
        ["Set-Cookie", "b"],
      ],
    ],
  ])("win over those of writeHead, given as %s", (_, headers) => {
    for (const reason of [[], ["Fine"]]) {
      const res = held();
      (res.writeHead as (...args: unknown[]) => void)(200, ...reason, headers);
      expect(sent(res).sort()).toEqual(
        [...own, "X-Own: 1", "Set-Cookie: a", "Set-Cookie: b"].sort(),
      );
      expect(res.statusMessage).toBe(reason[0] ?? "OK");
    }
  });

  it("are only held where the adapter sets them, and left as writeHead has them", () => {
    const { res } = requestOf();
    holdFields(res, [["X-RateLimit-Limit", "5"]], { setsFields: true });
    expect(res.getHeaderNames()).toEqual([]);
    res.writeHead(200, "Fine", { "x-ratelimit-limit": "5", "x-own": "1" });
    expect(sent(res)).toEqual(["x-ratelimit-limit: 5", "x-own: 1"]);
  });

  it.each<[string, Record<string, string | string[]>, string[]]>([
    ["has none", { "x-own": "1" }, ["x-own: 1", "X-RateLimit-Limit: 5"]],
    ["has another value", { "x-ratelimit-limit": "9" }, ["X-RateLimit-Limit: 5"]],
    ["has several values", { "x-ratelimit-limit": ["5", "5"] }, ["X-RateLimit-Limit: 5"]],
    ["has what is dropped", { "x-ratelimit-limit": "5", etag: "1" }, ["x-ratelimit-limit: 5"]],
    [
      "has a value that is none",
      { "x-ratelimit-limit": "5", "x-own": undefined as never },
      ["x-ratelimit-limit: 5"],
    ],
    [
      "has one twice",
      { "x-ratelimit-limit": "5", "X-RATELIMIT-LIMIT": "9" },
      ["X-RateLimit-Limit: 5"],
    ],
  ])("are mended where writeHead %s", (_, given, expected) => {
    const { res } = requestOf();
    holdFields(res, [["X-RateLimit-Limit", "5"]], { setsFields: true });
    dropFields(res, (name) => name === "etag");
    res.writeHead(200, given);
    expect(sent(res).sort()).toEqual(expected.sort());
  });

  it("are mended by what is dropped and exposed, though writeHead has them all", () => {
    const { res } = requestOf();
    holdFields(res, [["X-RateLimit-Limit", "5"]], { setsFields: true });
    dropFields(res, (name) => name === "etag");
    res.setHeader("ETag", "1");
    const other = requestOf().res;
    holdFields(other, [["X-RateLimit-Limit", "5"]], { setsFields: true });
    appendFields(other, [["Access-Control-Expose-Headers", "X-RateLimit-Limit"]]);
    res.writeHead(200, { "x-ratelimit-limit": "5" });
    other.writeHead(200, { "x-ratelimit-limit": "5" });
    expect([sent(res), sent(other)]).toEqual([
      ["x-ratelimit-limit: 5"],
      ["x-ratelimit-limit: 5", "Access-Control-Expose-Headers: X-RateLimit-Limit"],
    ]);
  });

  it("stay with their response, of whatever is made of it and of whatever takes its writeHead", () => {
    for (const of of [
      (res: ServerResponse) => new Proxy(res, {}),
      (res: ServerResponse) => Object.create(res) as ServerResponse,
    ]) {
      const res = held();
      of(res).writeHead(200);
      expect(sent(res)).toEqual(own);
    }
    const { res } = requestOf();
    const { writeHead } = held();
    res.writeHead = writeHead;
    res.writeHead(200, { "X-Own": "1" });
    expect(sent(res)).toEqual(["X-Own: 1"]);
  });

  it("are there where the head is written without writeHead", () => {
    for (const write of [
      (res: ServerResponse) => res.flushHeaders(),
      (res: ServerResponse) => res.write("x"),
      (res: ServerResponse) => res.end(),
    ]) {
      const res = held();
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      write(res);
      expect(sent(res)).toEqual(expect.arrayContaining(own));
    }
  });

  it("say nothing once the head is written, and throw nothing", () => {
    const { res } = requestOf();
    res.writeHead(200);
    holdFields(res, [["X-RateLimit-Limit", "5"]]);
    dropFields(res, () => true);
    appendFields(res, [["Access-Control-Expose-Headers", "Retry-After"]]);
    expect(sent(res)).toEqual([]);
  });

  it("leave the error of a second head to Node", () => {
    const res = held();
    res.writeHead(200);
    expect(() => res.writeHead(201)).toThrow(
      expect.objectContaining({ code: "ERR_HTTP_HEADERS_SENT" }),
    );
  });

  it("leave a status that is none to Node", () => {
    expect(() => held().writeHead(99)).toThrow(RangeError);
  });

  it("stand beside those of others who patch writeHead, before or after", () => {
    const { res } = requestOf();
    const patch = (name: string): void => {
      const inner = res.writeHead as (...args: unknown[]) => ServerResponse;
      res.writeHead = ((...args: unknown[]) => {
        res.setHeader(name, "1");
        return inner.apply(res, args);
      }) as ServerResponse["writeHead"];
    };
    patch("X-Inner");
    holdFields(res, [["X-RateLimit-Limit", "5"]]);
    patch("X-Outer");
    res.writeHead(200, { "X-RateLimit-Limit": "9" });
    expect(sent(res).sort()).toEqual(["X-Inner: 1", "X-Outer: 1", "X-RateLimit-Limit: 5"].sort());
  });
});

describe("holdHeadsOf", () => {
  const prototypeOf = (): object => Object.create(ServerResponse.prototype) as object;
  const responseOf = (prototype: object): ServerResponse =>
    Object.setPrototypeOf(requestOf().res, prototype) as ServerResponse;

  it("writes what is held without a writeHead of the response's own", () => {
    const prototype = prototypeOf();
    holdHeadsOf(prototype);
    const res = responseOf(prototype);
    holdFields(res, [["X-RateLimit-Limit", "5"]]);
    expect(Object.hasOwn(res, "writeHead")).toBe(false);
    res.removeHeader("X-RateLimit-Limit");
    res.writeHead(500, "Broken", { "X-Own": "1" });
    expect(sent(res).sort()).toEqual(["X-Own: 1", "X-RateLimit-Limit: 5"]);
    expect(res.statusMessage).toBe("Broken");
  });

  it("leaves a response alone of which nothing is held, and every prototype that has one or takes none", () => {
    const prototype = prototypeOf();
    holdHeadsOf(prototype);
    const res = responseOf(prototype);
    res.writeHead(200, { "X-Own": "1" });
    expect(sent(res)).toEqual(["X-Own: 1"]);
    const { writeHead } = prototype as ServerResponse;
    holdHeadsOf(prototype);
    expect((prototype as ServerResponse).writeHead).toBe(writeHead);
    const frozen = Object.freeze(prototypeOf());
    holdHeadsOf(frozen);
    const other = responseOf(frozen);
    holdFields(other, [["X-RateLimit-Limit", "5"]]);
    other.removeHeader("X-RateLimit-Limit");
    other.writeHead(200);
    expect(sent(other)).toEqual(["X-RateLimit-Limit: 5"]);
  });

  it("lets a wrapper that was there before have the last word, as without it", () => {
    const prototype = prototypeOf();
    holdHeadsOf(prototype);
    const res = responseOf(prototype);
    const inner = res.writeHead as (...args: unknown[]) => ServerResponse;
    res.writeHead = ((...args: unknown[]) => {
      res.removeHeader("X-RateLimit-Limit");
      return inner.apply(res, args);
    }) as ServerResponse["writeHead"];
    holdFields(res, [["X-RateLimit-Limit", "5"]]);
    res.writeHead(200);
    expect(sent(res)).toEqual([]);
  });

  it.each<[string, (res: ServerResponse) => ServerResponse]>([
    ["a proxy of it", (res) => new Proxy(res, {})],
    ["what inherits from it", (res) => Object.create(res) as ServerResponse],
  ])("knows a response by %s, and %s by it", (_, of) => {
    const prototype = prototypeOf();
    holdHeadsOf(prototype);
    for (const swapped of [false, true]) {
      const res = responseOf(prototype);
      requestState(res.req);
      const other = of(res);
      const [held, written] = swapped ? [other, res] : [res, other];
      holdFields(held, [["X-RateLimit-Limit", "5"]]);
      res.removeHeader("X-RateLimit-Limit");
      written.writeHead(200);
      expect(sent(written)).toEqual(["X-RateLimit-Limit: 5"]);
    }
  });

  it("keeps two responses to one request apart", () => {
    const prototype = prototypeOf();
    holdHeadsOf(prototype);
    const first = responseOf(prototype);
    const second = Object.setPrototypeOf(new ServerResponse(first.req), prototype);
    requestState(first.req);
    holdFields(first, [["X-RateLimit-Limit", "5"]]);
    holdFields(second, [["X-RateLimit-Limit", "7"]]);
    for (const [res, limit] of [
      [first, 5],
      [second, 7],
    ]) {
      res.removeHeader("X-RateLimit-Limit");
      res.writeHead(200);
      expect(sent(res)).toEqual([`X-RateLimit-Limit: ${limit}`]);
    }
  });
});

describe("dropped fields", () => {
  it("go at once, and do not come back", () => {
    const { res } = requestOf();
    res.setHeader("ETag", '"1"');
    dropFields(res, (name) => name === "etag");
    expect(res.hasHeader("ETag")).toBe(false);
    res.writeHead(429, { ETag: '"2"', "X-Own": "1" });
    expect(sent(res)).toEqual(["X-Own: 1"]);
  });
});

describe("appended fields", () => {
  it("stand beside what others set, whenever that was, and once", () => {
    const { res } = requestOf();
    res.setHeader("Set-Cookie", "session=abc");
    res.setHeader("Vary", "Origin");
    appendFields(res, [
      ["Set-Cookie", "challenge=1; Path=/"],
      ["Vary", "Cookie, origin"],
    ]);
    res.appendHeader("Set-Cookie", "late=1");
    res.setHeader("Vary", "Accept");
    appendFields(res, [["Set-Cookie", "late=1"]]);
    res.writeHead(429);
    expect(sent(res).toSorted()).toEqual([
      "Set-Cookie: challenge=1; Path=/",
      "Set-Cookie: late=1",
      "Set-Cookie: session=abc",
      "Vary: Accept, Cookie, origin",
    ]);
  });

  it("are appended to what others expose, at the last moment and once", () => {
    const { res } = requestOf();
    appendFields(res, [["Access-Control-Expose-Headers", "X-RateLimit-Limit, Retry-After"]]);
    appendFields(res, [["Access-Control-Expose-Headers", "Retry-After, RateLimit"]]);
    res.setHeader("Access-Control-Expose-Headers", ["X-Total", "retry-after"]);
    res.writeHead(200);
    expect(sent(res)).toEqual([
      "Access-Control-Expose-Headers: X-Total, retry-after, X-RateLimit-Limit, RateLimit",
    ]);
  });
});
