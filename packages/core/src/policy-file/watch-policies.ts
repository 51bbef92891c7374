import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { z } from "zod";
import { checkOptions } from "../check-options.ts";
import { parseDuration } from "../duration.ts";
import { after } from "./after.ts";
import { type Keeping, type KeptPolicies, keptPolicies } from "./kept-policies.ts";
import { loadText } from "./parse-policies.ts";
import { type KeepPoliciesOptions, keepFields } from "./poll-policies.ts";
import { checkPath, formatOf, pathOf, textOf } from "./read-policy-file.ts";
import { tellerOf } from "./teller.ts";
import { watchedFile } from "./watched-file.ts";

/**
 * How a policy file is watched. `every` is how often it is read without word of a change, as some file systems give
 * none.
 */
export type WatchPoliciesOptions = KeepPoliciesOptions;

/** How long a file must have stayed the same before it is used, milliseconds: its writer may not be done. */
const still = 50;

const schema = z.strictObject(keepFields);

/**
 * Keeps the policies of a file up to date: written in place, or replaced as editors and deployments do. Resolves with
 * the first version, or rejects with a `PolicyFileError`. A version that cannot be used is told to `onError`, and the
 * last good one stays. Keeps no process alive.
 */
export async function watchPolicies(
  path: string | URL,
  given: WatchPoliciesOptions = {},
): Promise<KeptPolicies> {
  const options = checkOptions(schema, given);
  checkPath(path, "path");
  const file = resolve(pathOf(path));
  const name = options.name ?? pathOf(path);
  const wait = options.after ?? after;
  const every = parseDuration(options.every ?? "30s")!;
  const called = { ...options, name, format: options.format ?? formatOf(file) };

  /** The text once it stays the same, or the error. */
  async function stillText(signal: AbortSignal): Promise<string> {
    let seen = await attempt(file, name);
    for (;;) {
      await new Promise<void>((resume) => void wait(still, resume));
      if (signal.aborted) throw signal.reason;
      const again = await attempt(file, name);
      if (again.text === seen.text) return again.text ?? Promise.reject(again.error);
      seen = again;
    }
  }

  let source: KeptPolicies | undefined;
  const watched = watchedFile(file, () => void source?.refresh());
  try {
    source = await keptPolicies(keeping());
  } catch (error) {
    watched.close();
    throw error;
  }
  const { close, refresh } = source;
  // what was written after the first look and before anybody watched
  void refresh();
  return Object.assign(source, {
    close() {
      watched.close();
      close();
    },
  });

  function keeping(): Keeping {
    return {
      async ask(known, signal) {
        await watched.renew();
        const first = await attempt(file, name);
        if (known === undefined && first.text === undefined) throw first.error;
        if (known !== undefined && first.text !== undefined && hashOf(first.text) === known) {
          return undefined;
        }
        const text = known === undefined ? first.text! : await stillText(signal);
        return { version: hashOf(text), load: () => loadText(text, called, "source") };
      },
      pause: () => every,
      deadline: parseDuration(options.deadline ?? "10s")!,
      after: wait,
      tell: tellerOf(options.onError),
    };
  }
}

/** Reads a file; what went wrong is part of the answer. */
async function attempt(
  file: string,
  name: string,
): Promise<{ readonly text?: string; readonly error?: unknown }> {
  try {
    return { text: await textOf(file, name) };
  } catch (error) {
    return { error };
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
