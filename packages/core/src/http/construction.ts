type Warn = (code: string, message: string) => void;

interface Habit {
  /** Limiters of these settings that were made after one of them had met a request. */
  late: number;
  served: boolean;
}

/** How many such limiters look like one made per request. */
const suspicious = 5;
const habits = new Map<string, Habit>();
let told = false;

/**
 * Watches for limiters that are made while requests are served: each has its own empty store and limits nothing.
 * Answers what to call at every request. Warns once per process.
 */
export function watchConstruction(options: object, warn: Warn): () => void {
  if ((options as { store?: unknown }).store !== undefined || told) return () => {};
  const settings = describe(options);
  let habit = habits.get(settings);
  if (!habit) {
    if (habits.size >= 1000) habits.clear();
    habits.set(settings, (habit = { late: 0, served: false }));
  }
  const watched = habit;
  if (watched.served) {
    watched.served = false;
    watched.late++;
  }
  let noted = false;
  return () => {
    if (noted) return;
    noted = true;
    watched.served = true;
    if (told || watched.late < suspicious) return;
    told = true;
    warn(
      "SPILLWAY_LIMITER_PER_REQUEST",
      "Limiters of the same settings are made again and again while requests are served, each with a store of its own, so that nothing is limited. Make the limiter once, outside of the handler.",
    );
  };
}

function describe(options: object): string {
  return JSON.stringify(options, (_, value: unknown) => (typeof value === "function" ? String(value).slice(0, 200) : value));
}
