import type { After } from "../src/policy-file/index.ts";

/** Timers that run when told. */
export interface ManualAfter {
  readonly after: After;
  /** The waits that are pending, milliseconds, in the order of asking. */
  waits(): number[];
  /** Runs the pending wait of this length, and waits until what follows of it has settled. */
  pass(ms: number): Promise<void>;
}

export function manualAfter(): ManualAfter {
  const pending = new Set<{ readonly ms: number; readonly run: () => void }>();
  return {
    after(ms, run) {
      const entry = { ms, run };
      pending.add(entry);
      return () => void pending.delete(entry);
    },
    waits: () => [...pending].map(({ ms }) => ms),
    async pass(ms) {
      const due = [...pending].find((entry) => entry.ms === ms);
      if (!due) throw new Error(`nothing waits ${ms}, only ${[...pending].map((e) => e.ms)}`);
      pending.delete(due);
      due.run();
      await settledSoon();
    },
  };
}

/** Lets all that is ready run: promises run before an immediate does. */
export function settledSoon(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
