import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";

/** A program that runs as in a terminal, in a process group of its own. */
export interface Program {
  /** What it has printed so far. */
  readonly output: string;
  readonly errors: string;
  /** Resolves with the match as soon as it has printed one; rejects if it ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the program alone, or, like Ctrl-C, to everything that it started too. */
  kill(signal: NodeJS.Signals): void;
  interrupt(): void;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const groups = new Set<number>();

afterEach(() => {
  for (const id of groups) process.kill(-id, "SIGKILL");
  groups.clear();
});

/** Starts a program with this Node; it ends with the test at the latest. `env` adds to the environment. */
export function program(file: URL, args: readonly string[] = [], env: Env = {}): Program {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    detached: true,
    env: { ...process.env, REDIS_URL: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const id = child.pid!;
  groups.add(id);
  let [output, errors] = ["", ""];
  let heard = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    heard();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.once("exit", () => groups.delete(id));
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);

  return {
    get output() {
      return output;
    },
    get errors() {
      return errors;
    },
    async printed(pattern) {
      for (let over = false; ; ) {
        const match = pattern.exec(output);
        if (match) return match;
        if (over) throw new Error(`It ended and never printed ${pattern}:\n${output}${errors}`);
        over = await Promise.race([
          ended.then(() => true),
          new Promise<boolean>((resolve) => {
            heard = () => resolve(false);
          }),
        ]);
      }
    },
    kill: (signal) => void child.kill(signal),
    interrupt: () => void process.kill(-id, "SIGINT"),
    ended,
  };
}

type Env = Record<string, string>;
