import { describe, expect, it } from "vitest";
import { readLogLine } from "./log-line.js";
import { readLogTime } from "./log-time.js";

const at = Date.UTC(2025, 10, 14, 9, 0, 7);
const time = "[14/Nov/2025:10:00:07 +0100]";

describe("a line of a log", () => {
  it.each([
    ["in common format", `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5`],
    ["in combined format", `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "https://x/" "curl/8"`],
    ["with fields behind", `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "-" "-" "-" rt=0.1`],
    ["with a user", `192.0.2.1 - anna ${time} "GET /a HTTP/1.1" 200 5`],
    ["with a user of many words", `192.0.2.1 - [x] "an [na] ${time} "GET /a HTTP/1.1" 200 5`],
    ["with quotes in the agent", `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "-" "a\\"b"`],
    ["with a query", `192.0.2.1 - - ${time} "GET /a?q=\\"b\\" HTTP/1.1" 200 5`],
    ["with neither status nor size", `192.0.2.1 - - ${time} "GET /a HTTP/1.1" - -`],
    ["of an old client", `192.0.2.1 - - ${time} "GET /a" 200 5`],
  ])("is read %s", (_, line) => {
    expect(readLogLine(line)).toEqual({ client: "192.0.2.1", time: at, request: "GET /a" });
  });

  it.each(["2001:db8::1", "::1", "::ffff:192.0.2.1", "fe80::1%eth0", "255.255.255.255"])(
    "is read of client %s",
    (client) => {
      expect(readLogLine(`${client} - - ${time} "GET / HTTP/1.1" 200 5`)).toMatchObject({ client });
    },
  );

  it.each([
    ["OPTIONS * HTTP/1.1", "GET /"],
    ["CONNECT shop.example:443 HTTP/1.1", "GET /"],
    ["GET http://shop.example/a HTTP/1.1", "GET /"],
    ["\\x16\\x03\\x01\\x02", "GET /"],
    ["-", "GET /"],
    ["", "GET /"],
    ["POST //a/../b#c HTTP/1.1", "POST //a/../b"],
    ["HEAD /\\\\ HTTP/1.1", "HEAD /\\\\"],
    ["GET /caf\u00c3\u00a9 HTTP/1.1", "GET /caf\u00c3\u00a9"],
  ])("with the request %j is played as %j", (text, request) => {
    expect(readLogLine(`192.0.2.1 - - ${time} "${text}" 400 0`)).toMatchObject({ request });
  });

  it.each([
    ["", "no address"],
    ["-", "no address"],
    ["# Version: 1.0", "no address"],
    [`shop.example - - ${time} "GET / HTTP/1.1" 200 5`, "no address"],
    [`192.0.2.256 - - ${time} "GET / HTTP/1.1" 200 5`, "no address"],
    [`\u0000\u0000192.0.2.1 - - ${time} "GET / HTTP/1.1" 200 5`, "no address"],
    ["192.0.2.1", "no time"],
    ['192.0.2.1 - - [14/Nov/2025:10:00:07] "GET / HTTP/1.1" 200 5', "no time"],
    ['192.0.2.1 - - 14/Nov/2025:10:00:07 +0100 "GET / HTTP/1.1" 200 5', "no time"],
    ['192.0.2.1 - - [30/Feb/2025:10:00:07 +0100] "GET / HTTP/1.1" 200 5', "no time"],
    [`192.0.2.1 - - ${time}`, "no request"],
    [`192.0.2.1 - - ${time} GET / HTTP/1.1 200 5`, "no request"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1`, "no request"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1\\" 200 5`, "no request"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1"`, "no status"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1" 200`, "no status"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1" OK 5`, "no status"],
    [`192.0.2.1 - - ${time} "GET / HTTP/1.1" 200 5x`, "no status"],
  ])("is no request: %j (%s)", (line, reason) => {
    expect(readLogLine(line)).toMatch(new RegExp(`^${reason}`));
  });

  it("never shows a terminal what it could take for a command", () => {
    expect(readLogLine("\u001b[2J\u009b1m\u0007\r\n")).toMatch(/: \?\[2J\?1m\?\?\?$/);
  });

  it("is judged in one pass, however it is made", () => {
    const half = 32_000;
    for (const part of [" [", ` ${time}`, "\\", '"', '\\"', "[14/"]) {
      const long = part.repeat(half / part.length);
      expect(typeof readLogLine(`192.0.2.1 - ${long}`)).toBe("string");
      expect(typeof readLogLine(`192.0.2.1 - - ${time} "${long}`)).toBe("string");
    }
  });
});

describe("the time of a line", () => {
  it.each([
    ["22/Jan/2019:03:56:14 +0330", "2019-01-22T00:26:14Z"],
    ["31/Dec/2025:23:59:59 -1200", "2026-01-01T11:59:59Z"],
    ["01/Jan/2026:00:00:00 +1400", "2025-12-31T10:00:00Z"],
    ["29/Feb/2024:12:00:00 +0000", "2024-02-29T12:00:00Z"],
    ["31/Dec/2016:23:59:60 +0000", "2017-01-01T00:00:00Z"],
    ["26/Oct/2025:02:30:00 +0200", "2025-10-26T00:30:00Z"],
    ["26/Oct/2025:02:30:00 +0100", "2025-10-26T01:30:00Z"],
    ["01/Jan/1970:00:00:00 +0000", "1970-01-01T00:00:00Z"],
  ])("%s is %s", (text, iso) => {
    expect(readLogTime(text)).toBe(Date.parse(iso));
    expect(readLogTime(text)).toBe(Date.parse(iso));
  });

  it.each([
    "31/Apr/2025:00:00:00 +0000",
    "29/Feb/2025:00:00:00 +0000",
    "00/Jan/2025:00:00:00 +0000",
    "01/anF/2025:00:00:00 +0000",
    "01/JAN/2025:00:00:00 +0000",
    "01/Foo/2025:00:00:00 +0000",
    "01/Jan/2025:24:00:00 +0000",
    "01/Jan/2025:00:60:00 +0000",
    "01/Jan/2025:00:00:61 +0000",
    "01/Jan/2025:00:00:00 +0060",
    "01/Jan/2025:00:00:00 0000",
    "01/Jan/1970:00:00:00 +0100",
    "01/Jan/0099:00:00:00 +0000",
    "",
  ])("%j is none", (text) => {
    expect(readLogTime(text)).toBeUndefined();
    expect(readLogTime(text)).toBeUndefined();
  });
});
