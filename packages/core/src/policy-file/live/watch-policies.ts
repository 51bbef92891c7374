import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { z } from "zod";
import { parseDuration } from "../../duration.ts";
import { checkOptions } from "../../options/check-options.ts";
import { loadText } from "../parse-policies.ts";
import { bytesOf, checkPath, formatOf, pathOf, textIn } from "../read-policy-file.ts";
import { after } from "./after.ts";
import { errorHook } from "./error-hook.ts";
import { type Keeping, type KeptPolicies, keptPolicies } from "./kept-policies.ts";
import { type KeepPoliciesOptions, keepShape } from "./poll-policies.ts";
import { watchedFile } from "./watched-file.ts";

/**
 * How a policy file is watched. `every` is how often it is read without a change event, which some file systems do not
 * send.
 */
export type WatchPoliciesOptions = KeepPoliciesOptions;

/** Milliseconds for which a file must not change before it is used: its writer may not be done. */
const stillness = 50;

const schema = z.strictObject(keepShape);

/**
 * Keeps the policies of a file up to date: overwritten, or replaced as editors and deployments do. Resolves with the
 * first version, or rejects with a `PolicyFileError`. A version that cannot be used goes to `onError`, and the last
 * good one stays. Keeps no process alive.
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

  /** Reads until the content stays the same. */
  async function still(signal: AbortSignal): Promise<Attempt> {
    let seen = await attempt(file, name);
    for (;;) {
      await new Promise<void>((resume) => void wait(stillness, resume));
      if (signal.aborted) throw signal.reason;
      const again = await attempt(file, name);
      if (again.version === seen.version) return again;
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
  // Finds what was written after the first read and before watching began.
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
        if (first.version === known) return undefined;
        // An unreadable file is a version too: it is reported once, until there is another.
        const { version, read } = known === undefined ? first : await still(signal);
        return { version, load: () => loadText(read(), called, "source") };
      },
      pause: () => every,
      deadline: parseDuration(options.deadline ?? "10s")!,
      after: wait,
      tell: errorHook(options.onError),
    };
  }
}

interface Attempt {
  /** Identifies the content, or the reason why there is none. */
  readonly version: string;
  /** Returns the text; throws what went wrong. */
  read(): string;
}

async function attempt(file: string, name: string): Promise<Attempt> {
  try {
    const bytes = await bytesOf(file, name);
    return { version: hashOf(bytes), read: () => textIn(bytes, name) };
  } catch (error) {
    const read = (): never => {
      throw error;
    };
    return { version: `unreadable: ${(error as Error).message}`, read };
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
