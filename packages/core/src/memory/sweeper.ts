/** Milliseconds between sweeps of a store, and the entries visited each time. */
const interval = 1000;
const entries = 10_000;

type Sweep = (entries: number) => void;

const stores = new Map<WeakRef<object>, WeakRef<Sweep>>();
const sweeps = new WeakMap<object, Sweep>();
let timer: NodeJS.Timeout | undefined;

/**
 * Sweeps a store regularly while it is referenced. One timer serves all stores of the process; it keeps neither the
 * process nor an unreferenced store alive.
 */
export function sweepRegularly(store: object, sweep: Sweep): void {
  sweeps.set(store, sweep);
  stores.set(new WeakRef(store), new WeakRef(sweep));
  timer ??= setInterval(sweepAll, interval).unref();
}

/** A failing clock also fails requests, which report it; here it would end the process. */
function runQuietly(sweep: Sweep | undefined): void {
  try {
    sweep?.(entries);
  } catch {}
}

function sweepAll(): void {
  for (const [store, sweep] of stores) {
    if (!store.deref()) stores.delete(store);
    else runQuietly(sweep.deref());
  }
  if (stores.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
}
