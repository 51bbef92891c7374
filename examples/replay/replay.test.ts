import { existsSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { command } from "./command.js";

const sample = fileURLToPath(new URL("sample/access_log", import.meta.url));
const sampleText = readFileSync(sample, "latin1");

async function run(args: readonly string[], input?: string | Uint8Array) {
  let [out, err] = ["", ""];
  const stdin = Object.assign(Readable.from(input === undefined ? [] : [Buffer.from(input)]), {
    isTTY: input === undefined,
  });
  const code = await command(args, {
    stdin,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  });
  return { code, out, err };
}

async function reportOn(args: readonly string[], input?: string | Uint8Array) {
  const { code, out, err } = await run([...args, "--json"], input);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

// Generous: the machine may be busy with the other tests.
const timeout = 60_000;

describe("the replay of a log", { timeout }, () => {
  it("tells whom the policy would refuse", async () => {
    const { code, out } = await run(["--limit", "20", "--top", "2", sample]);
    expect(code).toBe(0);
    expect(out).toBe(`318 requests of 14 clients, 2025-11-14 09:00:00 to 2025-11-14 09:03:55 UTC
sliding-window, 20 per 1m:
96 refused (30.2 %), of 3 clients

hardest hit    requests  refused
203.0.113.66        100       80
198.51.100.23        48        8

3 lines out of order, put in order by time

2 lines skipped:
  ${sample}, line 141: no address at its start: scanner.example - - [14/Nov/2025:10:01:58 +0100] "GET /.env ...
  ${sample}, line 320: no request in quotes behind the time: 192.0.2.24 - - [14/Nov/2025:10:04:00 +0100] "GET /boo
`);
  });

  it("reads standard input, also beside files, plain or compressed", async () => {
    const whole = await reportOn(["--limit", "20", sample]);
    for (const input of [sampleText, gzipSync(sampleText), sampleText.replaceAll("\n", "\r\n")]) {
      const { skipped, ...report } = await reportOn(["--limit", "20"], input);
      expect({ ...report, skipped: skipped.lines }).toEqual({ ...whole, skipped: 2 });
      expect(skipped.first[0]).toMatch(/^standard input, line 141: no address/);
    }
    const twice = await reportOn(["--limit", "20", sample, "-"], gzipSync(sampleText));
    expect(twice).toMatchObject({ requests: 636, clients: 14, skipped: { lines: 4 } });
  });

  it("is the same in whatever order the lines are", async () => {
    const { late, skipped, hardestHit, ...whole } = await reportOn(["--limit", "20", sample]);
    const lines = sampleText.trimEnd().split("\n");
    for (const seed of [1, 2, 3]) {
      const report = await reportOn(["--limit", "20"], shuffled(lines, seed).join("\n"));
      expect(report).toMatchObject(whole);
      expect(sorted(report.hardestHit)).toEqual(sorted(hardestHit));
      expect(report.late).toBeGreaterThan(100);
      expect(late).toBe(3);
      expect(report.skipped.lines).toBe(skipped.lines);
    }
  });

  it.each([1, 3, 10, 20, 40, 500])("agrees with a plain count at a limit of %i", async (limit) => {
    const args = ["--top", "1000", "--limit", String(limit), sample];
    const fixed = await reportOn(["--algorithm", "fixed-window", ...args]);
    expect(sorted(fixed.hardestHit)).toEqual(
      counted((passed, at) => {
        const minute = Math.floor(at / 60_000);
        return passed.filter((then) => Math.floor(then / 60_000) === minute).length < limit;
      }),
    );
    const log = await reportOn(["--algorithm", "sliding-log", ...args]);
    expect(sorted(log.hardestHit)).toEqual(
      counted((passed, at) => passed.filter((then) => then > at - 60_000).length < limit),
    );
  });

  it("counts the neighbours of an IPv6 network as one client", async () => {
    const line = (host: number) =>
      `2001:db8:0:1::${host} - - [14/Nov/2025:10:00:00 +0100] "GET / HTTP/1.1" 200 1`;
    const log = [1, 2, 3, 4].map(line).join("\n");
    expect(await reportOn(["--limit", "3"], log)).toMatchObject({
      clients: 1,
      hardestHit: [{ client: "2001:db8:0:1::/64", requests: 4, refused: 1 }],
    });
  });

  it("counts private addresses each by themselves, though proxies have such", async () => {
    const line = (host: number) =>
      `10.0.0.${host} - - [14/Nov/2025:10:00:00 +0100] "GET / HTTP/1.1" 200 1`;
    const log = [1, 1, 2, 127, 127].map(line).join("\n");
    expect(await reportOn(["--limit", "1"], log)).toMatchObject({
      clients: 3,
      hardestHit: [
        { client: "10.0.0.1", refused: 1 },
        { client: "10.0.0.127", refused: 1 },
      ],
    });
  });

  it("plays what scanners send like anything else", async () => {
    const requests = ["\\x16\\x03", "-", "OPTIONS * HTTP/1.1", "CONNECT a:1 HTTP/1.1", "GET //[ x"];
    const log = [...requests, "GET /%zz HTTP/1.1", "HEAD / HTTP/1.1", "TRACE / HTTP/1.1"]
      .map((text) => `192.0.2.1 - - [14/Nov/2025:10:00:00 +0100] "${text}" 400 0`)
      .join("\n");
    expect(await reportOn(["--limit", "5"], log)).toMatchObject({
      requests: 8,
      refused: { requests: 3, clients: 1 },
      skipped: { lines: 0 },
    });
  });

  it.each([
    ["an empty file", ""],
    ["empty lines", "\n\r\n\n"],
  ])("of %s is a report of nothing", async (_, input) => {
    const { code, out } = await run([], input);
    expect(code).toBe(0);
    expect(out).toBe(
      "0 requests of 0 clients\nsliding-window, 60 per 1m:\n0 refused, of 0 clients\n",
    );
  });

  it("of what is no log says so, and remembers only the first lines", async () => {
    const { code, out } = await run([], "no log\n".repeat(5));
    expect(code).toBe(0);
    expect(out).toMatch(
      /\n5 lines skipped:\n {2}standard input, line 1: .*\n.*line 2.*\n.*line 3.*\n {2}\.\.\.\n$/,
    );
  });

  it("holds nobody up where the bucket leaks", async () => {
    const bucket = ["--burst", "5", "--limit", "15", sample];
    const leaky = await reportOn(["--algorithm", "leaky-bucket", ...bucket]);
    const token = await reportOn(["--algorithm", "token-bucket", ...bucket]);
    expect(leaky.refused).toEqual(token.refused);
  });
});

describe("the command", { timeout }, () => {
  it("explains itself", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: /);
    for (const option of ["limit", "window", "algorithm", "burst", "segments", "align", "top"]) {
      expect(out).toContain(`--${option} `);
    }
  });

  it.each([
    [["--limit", "many"], /--limit: expected a whole number, received "many"/],
    [["--limit", "-1"], /limit/],
    [["--limit", "1.5"], /--limit: expected a whole number, received "1.5"/],
    [["--limit", "9007199254740993"], /--limit: expected a whole number/],
    [["--limit"], /limit/],
    [["--limt", "5"], /--limt/],
    [["--top", "x"], /--top: expected a whole number, received "x"/],
    [["--window", "soon"], /--window: expected .*"1m".*, received "soon"/],
    [["--window", "0"], /--window: expected .*, received 0/],
    [["--window", "day"], /--window: expected .*fixed-window/],
    [["--algorithm", "magic"], /--algorithm: expected one of .*"token-bucket".*, received "magic"/],
    [["--burst", "5"], /--burst: expected .*"token-bucket"/],
    [
      ["--burst", "0", "--algorithm", "token-bucket"],
      /--burst: expected .*at least 1, .*received 0/,
    ],
    [["--segments", "101"], /--segments: expected .*1 to 100, received 101/],
    [
      ["--align", "noon", "--algorithm", "fixed-window"],
      /--align: expected one of .*, received "n/,
    ],
    [["--json=yes"], /json/],
    [[], /name a log, or pipe one in/],
  ])("refuses %j", async (args, message) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toMatch(/^replay: .*\nTry --help\.\n$/s);
  });

  it.each([
    ["no/such.log", /^replay: cannot read no\/such\.log: .*no such file/],
    [fileURLToPath(new URL("sample", import.meta.url)), /^replay: cannot read .*sample: EISDIR/],
  ])("says that it cannot read %s", async (file, message) => {
    const { code, out, err } = await run([file]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });

  it("says where a compressed log breaks off, rather than to report a part of it", async () => {
    const { code, out, err } = await run([], gzipSync(sampleText).subarray(0, 2000));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe("replay: cannot read standard input: unexpected end of file\n");
  });
});

const logs = new URL("../../../shared/cases/logs/", import.meta.url);

describe.skipIf(!existsSync(logs))(
  "real logs (skipped without ../shared/cases/logs)",
  { timeout },
  () => {
    const policies = {
      "fixed 60/60s epoch-aligned": ["--algorithm", "fixed-window"],
      "fixed 20/60s epoch-aligned": ["--algorithm", "fixed-window", "--limit", "20"],
      "sliding log 20/60s": ["--algorithm", "sliding-log", "--limit", "20"],
      "gcra capacity 20, 1 per s": ["--algorithm", "token-bucket", "--burst", "20"],
      "gcra capacity 5, 1 per 4 s": [
        "--algorithm",
        "token-bucket",
        "--limit",
        "15",
        "--burst",
        "5",
      ],
    };
    const expected = existsSync(logs)
      ? JSON.parse(readFileSync(new URL("expected.json", logs), "utf8"))
      : {};

    it.each(["shop.log", "flood.log"])("%s gives what independent models gave", async (log) => {
      const { lines, clients, ...byPolicy } = expected[log];
      expect(Object.keys(byPolicy).sort()).toEqual(Object.keys(policies).sort());
      for (const [name, args] of Object.entries(policies)) {
        const file = fileURLToPath(new URL(log, logs));
        const report = await reportOn([...args, "--window", "60s", "--top", "3", file]);
        expect(report).toMatchObject({ requests: lines, clients, skipped: { lines: 0 } });
        const { requests: denied, clients: clientsDenied } = report.refused;
        const top = report.hardestHit.map((row: Row) => [row.client, row.refused]);
        expect({ name, denied, clients_denied: clientsDenied, top }).toEqual({
          name,
          ...byPolicy[name],
        });
      }
    });
  },
);

interface Row {
  readonly client: string;
  readonly requests: number;
  readonly refused: number;
}

function sorted(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.client < b.client ? -1 : 1));
}

/** Counts the sample by a rule on the times of a client's admitted requests. */
function counted(passes: (passed: readonly number[], at: number) => boolean): Row[] {
  const line =
    /^([\d.]+|[\da-f:]+) .*?\[(\d+)\/Nov\/2025:(\d+):(\d+):(\d+) \+0(\d)00\] ".*" \d+ \d+/;
  const times = new Map<string, number[]>();
  for (const text of sampleText.split("\n")) {
    const [, address, day, hour, minute, second, zone] = line.exec(text) ?? [];
    if (address === undefined) continue;
    // Every IPv6 address of the sample is a network, two colons and a host.
    const client = address.includes(":") ? `${address.split("::")[0]}::/64` : address;
    const at = Date.UTC(2025, 10, Number(day), Number(hour) - Number(zone), Number(minute));
    times.set(client, [...(times.get(client) ?? []), at + Number(second) * 1000]);
  }
  const rows: Row[] = [];
  for (const [client, all] of times) {
    const passed: number[] = [];
    for (const at of all.sort((a, b) => a - b)) if (passes(passed, at)) passed.push(at);
    const refused = all.length - passed.length;
    if (refused > 0) rows.push({ client, requests: all.length, refused });
  }
  return sorted(rows);
}

/** Shuffles a list, in the same order for the same seed. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const left = [...list];
  let state = seed;
  return list.map(() => {
    state = (state * 48_271) % 2_147_483_647;
    return left.splice(state % left.length, 1)[0]!;
  });
}
