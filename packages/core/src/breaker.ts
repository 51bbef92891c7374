import type { Clock } from "./clock.ts";

/** One call to something that may fail; told at its end how it went, once. */
export interface Attempt {
  worked(): void;
  failed(error: unknown): void;
  /** It ended before it told anything. */
  skipped(): void;
}

/** Keeps callers from something that fails, and lets one of them at a time see whether it works again. */
export interface Breaker {
  /** Answers undefined where it must not be called now. */
  attempt(): Attempt | undefined;
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Milliseconds between two probes, at the most. */
  readonly retry: number;
  readonly clock: Clock;
  readonly onOpen: (error: unknown) => void;
  readonly onClose: () => void;
}

/** The longest wait before the first probe, milliseconds: most failures are short. */
const firstPause = 100;

/** Makes a closed breaker. Probes come ever more rarely, up to `retry`, and not in step with other processes. */
export function breakerOf({ failures, retry, clock, onOpen, onClose }: BreakerOptions): Breaker {
  let open = false;
  let probing = false;
  let inRow = 0;
  let wait = 0;
  let next = 0;
  let ordinary = attemptWhileClosed();

  function postpone(): void {
    next = clock() + wait * (0.5 + Math.random() / 2);
    wait = Math.min(2 * wait, retry);
  }

  /** What ends after the breaker opened, or was opened and closed since, says nothing of now. */
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
      if (probing || clock() < next) return undefined;
      probing = true;
      return probe;
    },
  };
}
