import { spawn } from "node:child_process";
import { constants } from "node:os";

import { root } from "./root.mjs";

/**
 * Runs a program to its end, without a shell, and answers its exit code and what it printed.
 *
 * A program that a signal ended answers 128 plus the signal's number, as shells do. Signals that
 * reach this process meanwhile are passed on. Rejects only where the program cannot be started.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv; show?: boolean; shell?: boolean }} [options]
 *   `show` lets the program print by itself; then `output` is empty.
 * @returns {Promise<{ code: number; output: string }>}
 */
export function run(program, args, { cwd = root, env, show = false, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...(show ? {} : { NO_COLOR: "1" }), ...env },
      shell,
      stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    const restore = passSignals(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => {
      restore();
      reject(error);
    });
    child.on("close", (code, signal) => {
      restore();
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), output });
    });
  });
}

/**
 * Runs a program as `run` does and answers what it printed.
 *
 * Rejects with what it printed where its exit code is not 0.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv; show?: boolean }} [options]
 * @returns {Promise<string>}
 */
export async function mustRun(program, args, options) {
  const { code, output } = await run(program, args, options);
  if (code !== 0) {
    throw new Error(`${[program, ...args].join(" ")} exited with ${code}\n${output}`);
  }
  return output;
}

/** @param {import("node:child_process").ChildProcess} child */
function passSignals(child) {
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    // a terminal sends Ctrl-C to the whole group: passing it on would deliver it twice
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return () => {
    for (const signal of signals) process.off(signal, pass);
  };
}
