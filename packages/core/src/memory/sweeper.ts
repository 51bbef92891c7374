/** How often stores are swept, milliseconds, and how many of their entries each time. */
const interval = 1000;
const entries = 10_000;

type Sweep = (entries: number) => void;

const stores = new Map<WeakRef<object>, WeakRef<Sweep>>();
const sweeps = new WeakMap<object, Sweep>();
let timer: NodeJS.Timeout | undefined;

/**
 * Sweeps a store now and then for as long as somebody holds it. One timer serves all stores of the process; it keeps
 * neither the process alive nor a store that nobody holds any more.
 */
export function sweepRegularly(store: object, sweep: Sweep): void {
  sweeps.set(store, sweep);
  stores.set(new WeakRef(store), new WeakRef(sweep));
  timer ??= setInterval(sweepAll, interval).unref();
}

/** A clock that fails fails requests too, which tell of it; here it would end the process. */
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
