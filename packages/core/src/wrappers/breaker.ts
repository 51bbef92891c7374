import type { Clock } from "../clock.ts";

/** One call to something that may fail; exactly one of the methods is called when it ends. */
export interface Attempt {
  worked(): void;
  failed(error: unknown): void;
  /** It ended without a conclusion. */
  skipped(): void;
}

/** Keeps calls away from something that fails, and lets one at a time through to probe whether it works again. */
export interface Breaker {
  /** Returns undefined when no call may be made now. */
  attempt(): Attempt | undefined;
}

/** When a breaker opens and probes, and what it reports. */
export interface BreakerOptions {
  /** Failures in a row that open the breaker. */
  readonly failures: number;
  /** Maximum milliseconds between two probes. */
  readonly retry: number;
  readonly clock: Clock;
  readonly onOpen: (error: unknown) => void;
  readonly onClose: () => void;
}

/** The longest wait before the first probe, milliseconds: most failures are short. */
const firstPause = 100;

/** Creates a closed breaker. Probes become rarer, up to `retry` apart, and are randomized across processes. */
export function breakerOf({ failures, retry, clock, onOpen, onClose }: BreakerOptions): Breaker {
  let open = false;
  let probing = false;
  let inRow = 0;
  let wait = 0;
  /** When it was postponed last, and the time of the next probe. */
  let since = 0;
  let next = 0;
  let ordinary = attemptWhileClosed();

  function postpone(): void {
    since = clock();
    next = since + wait * (0.5 + Math.random() / 2);
    wait = Math.min(2 * wait, retry);
  }

  /**
   * A result that arrives after the breaker has opened, even if it closed again since, says nothing about the present.
   */
  function attemptWhileClosed(): Attempt {
    const attempt: Attempt = {
      worked() {
        if (attempt === ordinary) inRow = 0;
      },
      failed(error) {
        if (open || attempt !== ordinary) return;
        inRow++;
        if (inRow < failures) return;
        open = true;
        wait = Math.min(firstPause, retry);
        postpone();
        onOpen(error);
      },
      skipped() {},
    };
    return attempt;
  }

  const probe: Attempt = {
    worked() {
      probing = false;
      open = false;
      inRow = 0;
      ordinary = attemptWhileClosed();
      onClose();
    },
    failed() {
      probing = false;
      postpone();
    },
    skipped() {
      probing = false;
    },
  };

  return {
    attempt() {
      if (!open) return ordinary;
      if (probing) return undefined;
      const now = clock();
      // A clock that has stepped back does not prolong the wait.
      if (now >= since && now < next) return undefined;
      probing = true;
      return probe;
    },
  };
}
