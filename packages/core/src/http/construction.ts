type Warn = (code: string, message: string) => void;

interface Habit {
  /** How many limiters of these settings, one after another, met a single request each. */
  single: number;
  /** How many requests the latest of them met, counted up to 2. */
  requests: number;
}

/** How many such limiters look like one created per request. */
const suspicious = 5;
const habits = new Map<string, Habit>();
let told = false;

/**
 * Watches for limiters created while serving requests: each has its own empty store and limits nothing. A limiter
 * created by a handler meets its request in the same turn of the event loop; one of an application that a test creates
 * for a single request meets it later. Returns a function to call at every request. Warns once per process.
 */
export function watchConstruction(options: object, warn: Warn): () => void {
  if ((options as { store?: unknown }).store !== undefined || told) return () => {};
  const settings = describe(options);
  if (habits.size >= 1000) habits.clear();
  const watched = habits.get(settings) ?? { single: 0, requests: 0 };
  habits.set(settings, watched);
  if (watched.requests > 0) watched.single = watched.requests === 1 ? watched.single + 1 : 0;
  watched.requests = 0;
  let met = 0;
  let turnIsOver = false;
  setImmediate(() => {
    turnIsOver = true;
  }).unref();
  return () => {
    if (met === 2) return;
    met = turnIsOver ? 2 : met + 1;
    watched.requests = met;
    if (told || met > 1 || watched.single < suspicious) return;
    told = true;
    warn(
      "SPILLWAY_LIMITER_PER_REQUEST",
      "Limiters of the same settings are made again and again while requests are served, each with a store of its own, so that nothing is limited. Make the limiter once, outside of the handler.",
    );
  };
}

/** The options that distinguish limiters; the others may hold anything, of any size. */
const telling = ["policies", "rules", "name", "limit", "window", "algorithm", "burst", "tiers"];

function describe(options: object): string {
  return JSON.stringify(options, telling);
}
