import { type Charge, partOf, type Receipt, type Store } from "../store.ts";
import { storeFailure } from "../store-failure.ts";
import { checkNamesIn, readUnits, type UnitsRead, unitsIn } from "../units.ts";
import { claim } from "./claim.ts";
import { receiptOf, type Settle } from "./decision-record.ts";

export interface SettleDeps {
  readonly store: Store;
  /** The names of the limiter's policies. */
  readonly names: readonly string[];
  report(error: unknown, req: unknown): void;
}

/**
 * Makes what settles the decisions of a limiter: gives back what a request reserved and did not cost, and charges what
 * it cost beyond, as far as that fits. Each charge is settled once, by whoever comes first: a settlement, an outcome,
 * or somebody who gives back by hand. A store that fails is reported; a cost that is none rejects with a `ConfigError`.
 */
export function settleBy({ store, names, report }: SettleDeps): Settle {
  /** Reports what the store met, and never rejects. */
  async function attempt(act: () => unknown, req: unknown): Promise<void> {
    try {
      await act();
    } catch (cause) {
      report(storeFailure(cause, "The store could not settle a cost"), req);
    }
  }

  return async (decision, given, req) => {
    const actual = readUnits(given, "actual");
    const charges = receiptOf(decision)?.charges ?? [];
    checkNamesIn(actual, [...names, ...charges.map(({ policy }) => policy.name)], "actual");
    const receipt = claim(
      decision,
      charges.map(({ policy }) => unitsIn(actual, policy.name) !== undefined),
    );
    if (!receipt) return;
    const spare = spareOf(receipt, actual);
    const missing = missingOf(receipt, actual);
    await Promise.all([
      spare && attempt(() => store.give(spare), req),
      missing.length > 0 && attempt(() => store.take(missing, true), req),
    ]);
  };
}

/** The part of a receipt that was reserved and not used. */
function spareOf(receipt: Receipt, actual: UnitsRead): Receipt | undefined {
  const unused = receipt.charges.map((charge) => {
    return { ...charge, cost: charge.cost - unitsIn(actual, charge.policy.name)! };
  });
  const part = unused.map(({ cost }, i) => receipt.fits[i]! && cost > 0);
  return part.includes(true) ? partOf({ ...receipt, charges: unused }, part) : undefined;
}

/** What was used beyond what was reserved; more than can ever fit is as much as can. */
function missingOf({ charges, fits }: Receipt, actual: UnitsRead): Charge[] {
  return charges.flatMap(({ policy, key, cost }, i) => {
    const units = Math.min(unitsIn(actual, policy.name)! - cost, policy.maxCost);
    return fits[i] && units > 0 ? { policy: policy.settling(), key, cost: units } : [];
  });
}
