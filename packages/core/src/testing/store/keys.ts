import { assert } from "../assert.ts";
import {
  charge,
  everyAlgorithm,
  limiterOn,
  policy,
  remainingOf,
  type StoreTest,
  viewOf,
  window,
} from "./fixtures.ts";

const oddKeys: readonly string[] = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"],
  ...[
    " ",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "%",
    "%00",
    "{",
    "}",
    "{a}b",
    ":",
    "::",
    "*",
    "?",
    "\\",
    "'",
    '"',
  ],
  ...[
    "é",
    "e\u0301",
    "漢",
    "😀",
    "\ud83d",
    "\ude00",
    "\ufeff",
    "\u2028",
    "a",
    "A",
    "a ",
    " a",
    "0",
    "00",
  ],
  ...["k".repeat(65_536), `${"k".repeat(65_535)}l`, `${"漢".repeat(20_000)}a`],
];

/** Tests of what a store must keep apart. */
export const keyTests: readonly StoreTest[] = [
  [
    "keeps policies of other names and of other algorithms apart",
    async (store) => {
      const algorithms = everyAlgorithm.map(([, { algorithm = "sliding-window" }]) => algorithm);
      for (const algorithm of new Set(algorithms)) {
        for (const name of ["a", "b", "a b", "a:b", "__proto__", "toString"]) {
          const taken = await store.take([charge(policy({ name, algorithm }))], true);
          assert.equal(
            viewOf(taken, policy({ name, algorithm })).remaining,
            4,
            `${algorithm} ${name}`,
          );
        }
      }
    },
  ],
  [
    "tells odd and very long keys apart",
    async (store) => {
      const one = policy({ limit: 2 });
      for (const key of oddKeys) await store.take([charge(one, key)], true);
      for (const key of oddKeys) {
        assert.equal(await remainingOf(store, one, key), 1, JSON.stringify(key.slice(0, 40)));
      }
      const limiter = limiterOn(store, { limit: 2, window });
      for (const key of oddKeys) assert.equal((await limiter.check(key)).remaining, 1);
      for (const key of oddKeys) assert.equal((await limiter.check(key)).remaining, 0);
      assert.equal(Object.keys(Object.prototype).length, 0);
    },
  ],
];
