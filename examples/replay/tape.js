/** @typedef {import("./log-line.js").LogLine} LogLine */

/**
 * Holds the requests of whole logs, since the first line of the last log may be the earliest: 16 bytes
 * for each, and each different address and each different request once.
 */
export function createTape() {
  let times = new Float64Array(1024);
  let clients = new Uint32Array(1024);
  let requests = new Uint32Array(1024);
  const addresses = createNames();
  const paths = createNames();
  let size = 0;
  let earliest = Infinity;
  let latest = -Infinity;
  let late = 0;
  let skipped = 0;
  /** @type {string[]} */
  const reasons = [];

  function grow() {
    times = larger(times, new Float64Array(2 * size));
    clients = larger(clients, new Uint32Array(2 * size));
    requests = larger(requests, new Uint32Array(2 * size));
  }

  return {
    /** @param {LogLine} line */
    record({ client, time, request }) {
      if (size === times.length) grow();
      times[size] = time;
      clients[size] = addresses.numberOf(client);
      requests[size] = paths.numberOf(request);
      size++;
      if (time < latest) late++;
      else latest = time;
      if (time < earliest) earliest = time;
    },

    /**
     * Counts a line that is no request, and remembers why of the first few.
     *
     * @param {string} reason
     */
    skip(reason) {
      skipped++;
      if (reasons.length < 3) reasons.push(reason);
    },

    /**
     * Plays the requests by their time; those of one time in the order of their lines.
     *
     * @returns {Generator<LogLine>}
     */
    *inOrder() {
      const order = late > 0 ? orderOf(times.subarray(0, size)) : undefined;
      for (let i = 0; i < size; i++) {
        const at = order?.[i] ?? i;
        const time = /** @type {number} */ (times[at]);
        yield { time, client: addresses.nameOf(clients[at]), request: paths.nameOf(requests[at]) };
      }
    },

    get size() {
      return size;
    },
    /** The times of the first and the last request, epoch milliseconds; undefined without any. */
    get span() {
      return size === 0 ? undefined : { earliest, latest };
    },
    /** How many different addresses there are. */
    get addresses() {
      return addresses.size;
    },
    /** How many lines stood behind one of a later time. */
    get late() {
      return late;
    },
    get skipped() {
      return skipped;
    },
    /** Where the first few skipped lines are, and why they were. */
    get reasons() {
      return reasons;
    },
  };
}

/** @typedef {ReturnType<typeof createTape>} Tape */

/** Numbers texts by their first appearance. */
function createNames() {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {string[]} */
  const names = [];
  return {
    /** @param {string} name */
    numberOf(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      // a part of a line would keep all of it
      const own = Buffer.from(name, "latin1").toString("latin1");
      numbers.set(own, names.length);
      return names.push(own) - 1;
    },
    /** @param {number | undefined} number */
    nameOf: (number) => /** @type {string} */ (names[/** @type {number} */ (number)]),
    get size() {
      return names.length;
    },
  };
}

/**
 * @template {Float64Array | Uint32Array} T
 * @param {T} from
 * @param {T} to
 */
function larger(from, to) {
  to.set(from);
  return to;
}

/** @param {Float64Array} times */
function orderOf(times) {
  const order = Uint32Array.from(times, (_, i) => i);
  const timeAt = (/** @type {number} */ i) => /** @type {number} */ (times[i]);
  return order.sort((a, b) => timeAt(a) - timeAt(b) || a - b);
}
