import { StoreError } from "@spillway/core";
import type { Script } from "../script/script.ts";
import type { RedisPort } from "./redis-port.ts";

/** The keys and arguments of one script call. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * Runs a script: by SHA-1, then by its text on a node that does not know it, which has done nothing yet. Calls `answered`
 * with its raw reply or `failed` with a `StoreError`, once. Callbacks, as each promise in between takes a lone call
 * longer than most of what Redis does for it.
 */
export function runScript(
  port: RedisPort,
  { script, keys, args }: ScriptCall,
  answered: (reply: unknown) => void,
  failed: (error: StoreError) => void,
): void {
  function ask(call: () => Promise<unknown>, otherwise: (error: unknown) => void): void {
    try {
      call().then(answered, otherwise);
    } catch (error) {
      otherwise(error);
    }
  }

  function byText(error: unknown): void {
    if (classOf(error) === "NOSCRIPT") ask(() => port.eval(script.text, keys, args), fail);
    else fail(error);
  }

  function fail(error: unknown): void {
    failed(new StoreError(`Redis could not answer: ${messageOf(error)}`, error));
  }

  ask(() => port.evalsha(script.sha, keys, args), byText);
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

/** Returns the message of anything thrown; never throws, whatever that is. */
export function messageOf(error: unknown): string {
  try {
    return told(error);
  } catch {
    return "an error that cannot be shown";
  }
}

function told(error: unknown): string {
  const { message, code, errors } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // An error for all addresses of a host has no message of its own.
  if (message === "" && Array.isArray(errors) && errors.length > 0) return told(errors[0]);
  if (message === "" && typeof code === "string") return code;
  return typeof message === "string" ? message : String(error);
}
