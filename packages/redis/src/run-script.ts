import { StoreError } from "@spillway/core";
import type { RedisPort } from "./redis-port.ts";
import type { Repair } from "./repair.ts";
import type { Script } from "./script.ts";

/** Runs a script and resolves with its raw reply; rejects with a `StoreError`. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>;

/**
 * Makes the runner of a client: by its SHA-1, and by its text from the node that does not know it, which has done
 * nothing yet. Where a server refuses writes, another connection is asked for: after a failover the old one leads to
 * a replica.
 */
export function scriptRunner(port: RedisPort, repair: Repair): RunScript {
  return async (script, keys, args) => {
    try {
      const reply = await port.evalsha(script.sha, keys, args).catch((error: unknown) => {
        if (classOf(error) !== "NOSCRIPT") throw error;
        return port.eval(script.text, keys, args);
      });
      repair.worked();
      return reply;
    } catch (error) {
      if (classOf(error) === "READONLY") repair.failed();
      throw new StoreError(`Redis could not answer: ${messageOf(error)}`, error);
    }
  };
}

/** The class of a server's error, such as `NOSCRIPT`: its first word, which Redis up to 6.2 puts behind a place in the script. */
function classOf(error: unknown): string {
  const message = messageOf(error);
  const told = /^ERR Error running script .*?: -([A-Z]+) /.exec(message)?.[1];
  return told ?? message.split(" ", 1)[0] ?? "";
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : String(error);
}
