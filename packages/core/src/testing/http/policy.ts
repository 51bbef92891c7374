/** A policy whose numbers are easy to tell: a window of a minute that the suite's clock starts at. */
export function perMinute(limit: number): PerMinute {
  return { limit, window: "1m", algorithm: "fixed-window" };
}

interface PerMinute {
  readonly limit: number;
  readonly window: "1m";
  readonly algorithm: "fixed-window";
}
