import type { After } from "../src/policy-file/index.ts";

/** Timers that run when told. */
export interface ManualAfter {
  readonly after: After;
  /** Returns the pending waits, milliseconds, in the order of creation. */
  waits(): number[];
  /** Resolves once something waits for this long. */
  asked(ms: number): Promise<void>;
  /** Runs the pending wait of this length, and resolves when its consequences have settled. */
  pass(ms: number): Promise<void>;
}

export function manualAfter(): ManualAfter {
  const pending = new Set<{ readonly ms: number; readonly run: () => void }>();
  const awaited = new Map<number, () => void>();
  return {
    after(ms, run) {
      const entry = { ms, run };
      pending.add(entry);
      awaited.get(ms)?.();
      return () => void pending.delete(entry);
    },
    async asked(ms) {
      if ([...pending].some((entry) => entry.ms === ms)) return;
      await new Promise<void>((resolve) => void awaited.set(ms, resolve));
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

/** Runs everything that is ready: promises run before an immediate does. */
export function settledSoon(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
