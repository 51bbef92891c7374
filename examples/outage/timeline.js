/** @typedef {{ status: number; remaining: string | null; degraded: boolean; took: number }} Seen */

/**
 * Writes what happens, a line each, with the milliseconds since the first.
 *
 * @param {(line: string) => void} write
 */
export function createTimeline(write) {
  const began = performance.now();
  /** @type {Seen[]} */
  const answers = [];
  const now = () => String(Math.round(performance.now() - began)).padStart(6);
  write("    ms  status  remaining  degraded");

  return {
    /** @param {Seen} seen */
    answer(seen) {
      answers.push(seen);
      const { status, remaining, degraded } = seen;
      const columns = [String(status).padStart(6), (remaining ?? "?").padStart(9)];
      write(`${now()}  ${columns.join("  ")}  ${degraded ? "yes" : "no"}`);
    },

    /** @param {string} what */
    event(what) {
      write(`${now()}  -- ${what}`);
    },

    /** Sums up what clients saw. */
    end() {
      const passed = answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ status }) => status === 429).length;
      const degraded = answers.filter((seen) => seen.degraded).length;
      const slowest = Math.round(Math.max(...answers.map(({ took }) => took)));
      write(
        `\n${answers.length} requests: ${passed} passed, ${refused} refused, ${answers.length - passed - refused} failed; ` +
          `${degraded} were decided by the fallback. The slowest answer took ${slowest} ms.`,
      );
    },
  };
}
