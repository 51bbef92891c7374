/** Creates a policy with easy numbers: a window of one minute, at whose start the suite's clock begins. */
export function perMinute(limit: number): PerMinute {
  return { limit, window: "1m", algorithm: "fixed-window" };
}

interface PerMinute {
  readonly limit: number;
  readonly window: "1m";
  readonly algorithm: "fixed-window";
}
