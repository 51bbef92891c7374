import { ConfigError, received } from "../../errors.ts";
import type { PolicySource } from "../../policies/policy-source.ts";
import { type Asking, type Version, versionLook } from "./version-look.ts";

/** Policies that are kept up to date. */
export interface KeptPolicies extends PolicySource {
  /** The current version. */
  readonly version: string;
  /** Checks for a new version now, or again after a check in progress. Never rejects: errors go to `onError`. */
  refresh(): Promise<void>;
}

/** How and when a source is asked. Times in milliseconds. */
export interface Keeping extends Asking {
  /** Returns the wait before the next check, after so many failures in a row. */
  pause(failures: number): number;
  tell(error: unknown): void;
}

/** Loads a first version and checks for later ones, one check at a time. Rejects if the first cannot be used. */
export async function keptPolicies(keeping: Keeping): Promise<KeptPolicies> {
  const { after, tell } = keeping;
  const { look, abort } = versionLook(keeping);
  const listeners = new Set<(next: object) => void>();
  let closed = false;

  const first = await new Promise<Version | undefined>((resolve, reject) => {
    look(undefined, reject).then(resolve, reject);
  });
  if (!first) {
    const expected = "a first version of the policies";
    throw new ConfigError([{ path: "load", expected, received: received(undefined) }]);
  }
  let current: Version = first;

  let failures = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let cancel = (): void => {};

  async function once(): Promise<void> {
    const told: unknown[] = [];
    const failed = (error: unknown): void => {
      if (closed || told.includes(error)) return;
      // One check is one failure, even if it is late and its result then cannot be used.
      if (told.length === 0) failures++;
      told.push(error);
      tell(error);
    };
    try {
      const next = await look(current.known, failed);
      if (told.length === 0) failures = 0;
      if (next && !closed) put(next);
    } catch (error) {
      failed(error);
    }
  }

  function put(next: Version): void {
    current = next;
    for (const listener of [...listeners]) {
      try {
        listener(next.options);
      } catch (error) {
        tell(error);
      }
    }
  }

  function run(): Promise<void> {
    if (closed) return Promise.resolve();
    cancel();
    running = once().finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  }

  function schedule(): void {
    if (!closed) cancel = after(keeping.pause(failures), () => void (running ?? run()));
  }

  schedule();
  return {
    get current() {
      return current.options;
    },
    get version() {
      return current.known;
    },
    subscribe(listener) {
      // A new function, so that subscribing twice makes two subscriptions.
      const own = (next: object): void => listener(next);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    refresh() {
      if (!running) return run();
      queued ??= running.then(() => {
        queued = undefined;
        return running ?? run();
      });
      return queued;
    },
    close() {
      closed = true;
      cancel();
      listeners.clear();
      abort(new Error("The source was closed"));
    },
  };
}
