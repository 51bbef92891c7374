import { type Charge, partOf, type Receipt, type Store } from "../store.ts";
import { storeFailure } from "../store-failure.ts";
import { checkNamesIn, readUnits, type UnitsRead, unitsIn } from "../units.ts";
import { claim } from "./claim.ts";
import { receiptOf, type Settle } from "./decision-record.ts";

/** What settling needs of a limiter. */
export interface SettleDeps {
  readonly store: Store;
  /** The names of the limiter's policies. */
  readonly names: readonly string[];
  report(error: unknown, req: unknown): void;
}

/**
 * Returns the function that settles a limiter's decisions: refunds what a request reserved but did not cost, and
 * charges an overrun as far as it fits. Each charge is settled once, by the first of a settlement, an outcome or a
 * refund by hand. Store failures are reported; an invalid cost rejects with a `ConfigError`.
 */
export function settleBy({ store, names, report }: SettleDeps): Settle {
  /** Reports store failures; never rejects. */
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

/** Returns the part of a receipt that was reserved and not used. */
function spareOf(receipt: Receipt, actual: UnitsRead): Receipt | undefined {
  const unused = receipt.charges.map((charge) => {
    return { ...charge, cost: charge.cost - unitsIn(actual, charge.policy.name)! };
  });
  const part = unused.map(({ cost }, i) => receipt.fits[i]! && cost > 0);
  return part.includes(true) ? partOf({ ...receipt, charges: unused }, part) : undefined;
}

/** Returns charges for what was used beyond the reserve, capped at what can ever fit. */
function missingOf({ charges, fits }: Receipt, actual: UnitsRead): Charge[] {
  return charges.flatMap(({ policy, key, cost }, i) => {
    const units = Math.min(unitsIn(actual, policy.name)! - cost, policy.maxCost);
    return fits[i] && units > 0 ? { policy: policy.settling(), key, cost: units } : [];
  });
}
