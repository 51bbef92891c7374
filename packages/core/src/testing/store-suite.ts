import type { Clock } from "../clock.ts";
import type { Store } from "../store.ts";
import { manualClock } from "./manual-clock.ts";
import { banTests } from "./store/bans.ts";
import { boundedTests } from "./store/bounded.ts";
import { everyAlgorithmTests } from "./store/every-algorithm.ts";
import type { StoreTest } from "./store/fixtures.ts";
import { keyTests } from "./store/keys.ts";
import { resizeTests } from "./store/resizes.ts";
import { ruleTests } from "./store/rules.ts";
import { settlementTests } from "./store/settlements.ts";
import { storyTests } from "./store/stories.ts";

/** A store, optionally with a function to call after its test. */
export type MadeStore = Store | { readonly store: Store; readonly close: () => unknown };

/**
 * Creates an empty store that reads this clock. For a bounded suite, it may also be asked to hold at most `maxKeys`
 * keys.
 */
export type MakeStore = (options: {
  readonly clock: Clock;
  readonly maxKeys?: number;
}) => MadeStore | Promise<MadeStore>;

/** Defines a test: `it` or `test` of Vitest, node:test, Mocha, Jest. */
export type DefineTest = (name: string, test: () => Promise<void>) => unknown;

/** The abilities of the store under test. */
export interface StoreSuiteOptions {
  /** Whether the store honours `maxKeys`. Default `false`. */
  readonly bounded?: boolean | undefined;
}

/**
 * Defines the tests that every store must pass, one `it` each. Needs no specific test framework; creates a store for
 * each test and closes it afterwards.
 */
export function storeSuite(it: DefineTest, make: MakeStore, options: StoreSuiteOptions = {}): void {
  const tests = [
    ...everyAlgorithmTests,
    ...banTests,
    ...settlementTests,
    ...resizeTests,
    ...ruleTests,
    ...keyTests,
    ...storyTests,
  ];
  for (const test of tests) define(it, test, make);
  if (!options.bounded) return;
  for (const test of boundedTests) define(it, test, ({ clock }) => make({ clock, maxKeys: 3 }));
}

function define(it: DefineTest, [name, run]: StoreTest, make: MakeStore): void {
  it(name, async () => {
    const clock = manualClock();
    const made = await make({ clock });
    const { store, close } = "store" in made ? made : { store: made, close: undefined };
    try {
      await run(store, clock);
      await store.close?.();
      await store.close?.();
    } finally {
      await close?.();
    }
  });
}
