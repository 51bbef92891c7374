import { StoreError } from "@spillway/core";
import type { Script } from "../script/script.ts";
import type { RedisPort } from "./redis-port.ts";

/**
 * Runs a script and resolves with its raw reply: by SHA-1, then by its text on a node that does not know it, which has
 * done nothing yet. Rejects with a `StoreError`.
 */
export async function runScript(
  port: RedisPort,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await port.evalsha(script.sha, keys, args).catch((error: unknown) => {
      if (classOf(error) !== "NOSCRIPT") throw error;
      return port.eval(script.text, keys, args);
    });
  } catch (error) {
    throw new StoreError(`Redis could not answer: ${messageOf(error)}`, error);
  }
}

/** Whether a server refused to write because it is a replica: after a failover the old connection leads to one. */
export function isReplica(error: unknown): boolean {
  return error instanceof StoreError && classOf(error.cause) === "READONLY";
}

/** Whether a cluster did nothing because a slot is migrating and only some of the call's keys are here. */
export function isTryAgain(error: unknown): boolean {
  return classOf(causeOf(error)) === "TRYAGAIN";
}

/** Whether an error is a server's reply: those begin with an error class, the clients' own do not. */
export function isReply(error: unknown): boolean {
  return /^[A-Z][A-Z\d]*$/.test(classOf(causeOf(error)));
}

/** Whether the client gave up a call it had sent, by a timeout of its own. */
export function isTimeout(error: unknown): boolean {
  return !isReply(error) && /timed out/i.test(messageOf(causeOf(error)));
}

function causeOf(error: unknown): unknown {
  return error instanceof StoreError ? error.cause : error;
}

/**
 * Returns the class of a server's error, such as `NOSCRIPT`: its first word, which Redis up to 6.2 puts after a place
 * in the script.
 */
function classOf(error: unknown): string {
  const message = messageOf(error);
  const told = /^(?:ERR Error running script .*?: |@\w+: ?\d+: )-?([A-Z]+) /.exec(message)?.[1];
  return told ?? message.split(" ", 1)[0] ?? "";
}

/** Returns the message of anything thrown. */
export function messageOf(error: unknown): string {
  const { message, code, errors } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // An error for all addresses of a host has no message of its own.
  if (message === "" && Array.isArray(errors) && errors.length > 0) return messageOf(errors[0]);
  if (message === "" && typeof code === "string") return code;
  return typeof message === "string" ? message : String(error);
}
