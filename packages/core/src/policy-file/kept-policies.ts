import { ConfigError, received } from "../errors.ts";
import type { PolicySource } from "../policy-source.ts";
import type { After } from "./after.ts";
import type { Loaded } from "./load.ts";

/** Policies that are kept up to date. */
export interface KeptPolicies extends PolicySource {
  /** The version that holds now. */
  readonly version: string;
  /**
   * Looks for a new version now, or once more where a look is under way. Never rejects: what cannot be used is told to
   * `onError`.
   */
  refresh(): Promise<void>;
}

/** A version that was found, and how to load it. */
export interface Found {
  readonly version: string;
  load(): Promise<Loaded> | Loaded;
}

/** How a source is asked, and when. Times in milliseconds. */
export interface Keeping {
  /** Answers undefined where there is nothing newer than the version that is known. */
  ask(version: string | undefined, signal: AbortSignal): Promise<Found | undefined>;
  /** The wait before the next look, after so many failures in a row. */
  pause(failures: number): number;
  readonly deadline: number;
  readonly after: After;
  tell(error: unknown): void;
}

/** A version, loaded. */
interface Current extends Loaded {
  readonly known: string;
}

/** Loads a first version, and looks for later ones, one look at a time. Rejects where the first cannot be used. */
export async function keptPolicies(keeping: Keeping): Promise<KeptPolicies> {
  const { after, deadline, tell } = keeping;
  const listeners = new Set<(next: object) => void>();
  let controller = new AbortController();
  let current: Current | undefined;
  let refused: string | undefined;
  let closed = false;

  async function newer(): Promise<Current | undefined> {
    controller = new AbortController();
    const found = await asked(controller.signal);
    if (found?.version !== refused) refused = undefined;
    if (!found || found.version === current?.known || found.version === refused) return undefined;
    try {
      return { ...(await found.load()), known: found.version };
    } catch (error) {
      // told once, however often it is met
      refused = found.version;
      throw error;
    }
  }

  /** What fails after it was aborted says no more than why it was. */
  async function asked(signal: AbortSignal): Promise<Found | undefined> {
    try {
      return await keeping.ask(current?.known, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** A look that is late is aborted and told at once, and waited for all the same: there is never a second one. */
  function look(late: (error: Error) => void): Promise<Current | undefined> {
    const cancel = after(deadline, () => {
      const error = new Error(`No answer within ${deadline} milliseconds`);
      controller.abort(error);
      late(error);
    });
    return newer().finally(cancel);
  }

  current = await new Promise<Current | undefined>((resolve, reject) => {
    look(reject).then(resolve, reject);
  });
  if (!current) {
    const expected = "a first version of the policies";
    throw new ConfigError([{ path: "load", expected, received: received(undefined) }]);
  }

  let failures = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let cancel = (): void => {};

  async function once(): Promise<void> {
    const told: unknown[] = [];
    const failed = (error: unknown): void => {
      if (closed || told.includes(error)) return;
      // one look is one failure, also where it is late and what it brings then cannot be used
      if (told.length === 0) failures++;
      told.push(error);
      tell(error);
    };
    try {
      const next = await look(failed);
      if (told.length === 0) failures = 0;
      if (next && !closed) put(next);
    } catch (error) {
      failed(error);
    }
  }

  function put(next: Current): void {
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
      return current!.options;
    },
    get version() {
      return current!.known;
    },
    subscribe(listener) {
      // its own function: whoever subscribes twice has two subscriptions
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
      controller.abort(new Error("The source was closed"));
    },
  };
}
