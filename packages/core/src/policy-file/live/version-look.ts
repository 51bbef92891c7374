import type { Loaded } from "../load.ts";
import type { After } from "./after.ts";

/** A version that was found, and how to load it. */
export interface Found {
  readonly version: string;
  load(): Promise<Loaded> | Loaded;
}

/** How a source is asked. Times in milliseconds. */
export interface Asking {
  /** Resolves with undefined if there is nothing newer than the known version. */
  ask(version: string | undefined, signal: AbortSignal): Promise<Found | undefined>;
  readonly deadline: number;
  readonly after: After;
}

/** A loaded version. */
export interface Version extends Loaded {
  readonly known: string;
}

/** Checks for versions, one check at a time. */
export interface VersionLook {
  /**
   * Resolves with a version other than the known one, or undefined. A check past the deadline is aborted and `late`
   * called at once, but the check goes on: there is never a second one. Rejects, once, if a version cannot be used.
   */
  look(known: string | undefined, late: (error: Error) => void): Promise<Version | undefined>;
  abort(reason: Error): void;
}

/** Creates the checks of a source. */
export function versionLook({ ask, deadline, after }: Asking): VersionLook {
  let controller = new AbortController();
  let refused: string | undefined;

  async function newer(known: string | undefined): Promise<Version | undefined> {
    controller = new AbortController();
    const found = await asked(known, controller.signal);
    if (found?.version !== refused) refused = undefined;
    if (!found || found.version === known || found.version === refused) return undefined;
    try {
      return { ...(await found.load()), known: found.version };
    } catch (error) {
      // Reported once, however often it is found.
      refused = found.version;
      throw error;
    }
  }

  /** An error after an abort only means the abort. */
  async function asked(known: string | undefined, signal: AbortSignal): Promise<Found | undefined> {
    try {
      return await ask(known, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  return {
    look(known, late) {
      const cancel = after(deadline, () => {
        const error = new Error(`No answer within ${deadline} milliseconds`);
        controller.abort(error);
        late(error);
      });
      return newer(known).finally(cancel);
    },
    abort: (reason) => controller.abort(reason),
  };
}
