/**
 * Sums up what a policy would have done.
 *
 * @param {import("./options.js").Policy} policy
 * @param {import("./tape.js").Tape} tape
 * @param {ReadonlyMap<string, import("./play.js").Count>} counts
 * @param {number} top how many of the hardest hit to name
 */
export function reportOf({ limit, window, ...more }, tape, counts, top) {
  const clients = [...counts].map(([client, count]) => ({ client, ...count }));
  const hit = clients.filter(({ refused }) => refused > 0);
  return {
    policy: { limit, window, ...more },
    from: tape.span && new Date(tape.span.earliest).toISOString(),
    to: tape.span && new Date(tape.span.latest).toISOString(),
    requests: tape.size,
    clients: clients.length,
    refused: { requests: hit.reduce((sum, { refused }) => sum + refused, 0), clients: hit.length },
    hardestHit: hit
      .sort((a, b) => b.refused - a.refused || a.since - b.since)
      .slice(0, top)
      .map(({ since: _, ...row }) => row),
    late: tape.late,
    skipped: { lines: tape.skipped, first: tape.reasons },
  };
}

/** @typedef {ReturnType<typeof reportOf>} Report */

/**
 * Writes a report for people.
 *
 * @param {Report} report
 */
export function toText(report) {
  const { policy, from, to, requests, clients, refused, hardestHit, late, skipped } = report;
  const when = from && to ? `, ${shown(from)} to ${shown(to)} UTC` : "";
  const lines = [
    `${counted(requests, "request")} of ${counted(clients, "client")}${when}`,
    `${named(policy)}:`,
    `${refused.requests} refused${share(refused.requests, requests)}, of ${counted(refused.clients, "client")}`,
  ];
  if (hardestHit.length > 0) lines.push("", ...table(hardestHit));
  if (late > 0) lines.push("", `${counted(late, "line")} out of order, put in order by time`);
  if (skipped.lines > 0) {
    lines.push("", `${counted(skipped.lines, "line")} skipped:`, ...skipped.first.map(indented));
    if (skipped.lines > skipped.first.length) lines.push("  ...");
  }
  return `${lines.join("\n")}\n`;
}

/** @param {Report["hardestHit"]} clients */
function table(clients) {
  const rows = clients.map(({ client, requests, refused }) => [
    client,
    String(requests),
    String(refused),
  ]);
  const all = [["hardest hit", "requests", "refused"], ...rows];
  const widths = [0, 1, 2].map((i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  "),
  );
}

/** @param {Report["policy"]} policy */
function named({ limit, window, algorithm, ...more }) {
  const time = typeof window === "number" ? `${window} ms` : window;
  const options = Object.entries(more).map(([name, value]) => `, ${name} ${value}`);
  return `${algorithm}, ${limit} per ${time}${options.join("")}`;
}

/**
 * @param {number} count
 * @param {string} thing
 */
function counted(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/**
 * @param {number} part
 * @param {number} whole
 */
function share(part, whole) {
  return whole === 0 ? "" : ` (${((100 * part) / whole).toFixed(1)} %)`;
}

/** @param {string} time */
function shown(time) {
  return time.slice(0, 19).replace("T", " ");
}

/** @param {string} text */
function indented(text) {
  return `  ${text}`;
}
