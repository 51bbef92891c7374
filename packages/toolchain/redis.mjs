import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { mustRun } from "./run.mjs";

/**
 * Finds `redis-server` on PATH, and as root on Debian installs it where it is missing.
 *
 * Starts nothing: each test starts a server of its own. Rejects with one message that says what to
 * install where it cannot be had.
 *
 * @returns {Promise<string>} the program's path
 */
export async function redisServer() {
  const found = onPath("redis-server");
  if (found !== undefined) return found;
  const apt = onPath("apt-get");
  if (apt !== undefined && process.getuid?.() === 0) await install(apt);
  const installed = onPath("redis-server");
  if (installed !== undefined) return installed;
  throw new Error(
    "redis-server is missing: the tests run a real one. Install Redis 6.2 or newer so that redis-server is on PATH (Debian: apt-get install redis-server).",
  );
}

/** @param {string} apt */
async function install(apt) {
  // Debian asks this file whether a service may start; 101 says no
  const policy = "/usr/sbin/policy-rc.d";
  const ours = !existsSync(policy);
  if (ours) await writeFile(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  try {
    await mustRun(apt, ["update", "-q"], { env });
    await mustRun(apt, ["install", "-q", "-y", "--no-install-recommends", "redis-server"], { env });
  } finally {
    if (ours) await rm(policy, { force: true });
  }
}

/** @param {string} program */
function onPath(program) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

if (process.argv[1] === import.meta.filename) console.log(await redisServer());
