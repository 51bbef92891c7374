import { randomBytes } from "node:crypto";
import { limit } from "./app.js";

/**
 * Sends more requests than a client has, to each server in its turn, as a client that none has seen before, and
 * tells how each was answered.
 *
 * @param {readonly string[]} urls
 */
export async function demo(urls) {
  // servers believe a proxy on the same machine; the addresses are those for documentation
  const network = randomBytes(4).toString("hex").replace(/....$/, ":$&");
  const headers = { "x-forwarded-for": `2001:db8:${network}::1` };
  const total = limit + urls.length;
  const lines = ["request  server  status  remaining"];
  let passed = 0;
  for (let i = 0; i < total; i++) {
    const server = i % urls.length;
    const answer = await fetch(/** @type {string} */ (urls[server]), { headers });
    await answer.arrayBuffer();
    if (answer.ok) passed++;
    const wait = answer.headers.get("retry-after");
    const row = [
      String(i + 1).padStart(7),
      String(server + 1).padStart(6),
      String(answer.status).padStart(6),
      (answer.headers.get("x-ratelimit-remaining") ?? "?").padStart(9),
    ];
    lines.push(`${row.join("  ")}${wait === null ? "" : `  again in ${wait} s`}`);
  }
  return `${lines.join("\n")}\n\n${passed} of ${total} passed; the limit is ${limit}, of all servers together.`;
}
