import type { Loaded } from "../load.ts";
import type { After } from "./after.ts";

/** A version that was found, and how to load it. */
export interface Found {
  readonly version: string;
  load(): Promise<Loaded> | Loaded;
}

/** How a source is asked. Times in milliseconds. */
export interface Asking {
  /** Answers undefined where there is nothing newer than the version that is known. */
  ask(version: string | undefined, signal: AbortSignal): Promise<Found | undefined>;
  readonly deadline: number;
  readonly after: After;
}

/** A version, loaded. */
export interface Version extends Loaded {
  readonly known: string;
}

/** Looks for versions, one look at a time. */
export interface VersionLook {
  /**
   * Answers a version other than the known one, or undefined. A look that is late is aborted, `late` is told at once,
   * and the look goes on all the same: there is never a second one. Rejects where a version cannot be used, once.
   */
  look(known: string | undefined, late: (error: Error) => void): Promise<Version | undefined>;
  abort(reason: Error): void;
}

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
      // told once, however often it is met
      refused = found.version;
      throw error;
    }
  }

  /** What fails after it was aborted says no more than why it was. */
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
