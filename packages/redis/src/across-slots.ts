import { type Charge, StoreError } from "@spillway/core";
import { type Across, type LedgerDeps, type SlotLedger, slotLedger } from "./slot-ledger.ts";
import { timeout } from "./timeout.ts";

/** What `takeAcross` works with. */
export interface Means extends LedgerDeps {
  /** Milliseconds for all slots together. */
  readonly deadline: number;
}

/**
 * Takes charges in several cluster slots, which no script can do atomically: slot by slot, or key by key while a slot
 * migrates. If a later slot refuses, fails or times out, earlier charges are given back. Every policy's limit holds
 * throughout; a charge that is about to be given back is briefly visible. `slots` lists the charge indexes of each
 * slot.
 */
export function takeAcross(
  slots: readonly (readonly number[])[],
  charges: readonly Charge[],
  keep: boolean,
  { deadline, ...asked }: Means,
): Promise<Across> {
  return new Promise((resolve, reject) => {
    let late = false;
    const stop = timeout(deadline, () => {
      late = true;
      reject(new StoreError(`Redis did not answer within ${deadline} ms`));
    });
    const request: Request = { charges, keep, ledger: slotLedger(charges, asked) };
    take(slots, request, () => late)
      .then(resolve, reject)
      .finally(stop);
  });
}

interface Request {
  readonly charges: readonly Charge[];
  readonly keep: boolean;
  readonly ledger: SlotLedger;
}

async function take(
  slots: readonly (readonly number[])[],
  request: Request,
  isLate: () => boolean,
): Promise<Across> {
  const { keep, ledger } = request;
  let reached = 0;
  try {
    while (reached < slots.length && (await ledger.ask(slots[reached]!, keep))) {
      reached++;
      if (isLate()) throw new StoreError("Redis answered too late");
    }
  } catch (error) {
    const refusing = isLate() ? undefined : await refusalIn(slots.slice(reached + 1), ledger);
    const taken = slots.slice(0, reached);
    if (refusing !== undefined) {
      await Promise.allSettled(taken.map((slot) => undo(slot, request)));
      return ledger.refused(refusing, true);
    }
    if (keep) await Promise.allSettled(taken.map(ledger.giveBack));
    throw error;
  }
  if (reached === slots.length) return ledger.passed();

  // A refusal stands, even if the state of other policies cannot be read.
  const settled = await Promise.allSettled(
    slots.map((slot, i) =>
      i < reached ? undo(slot, request) : i > reached ? pass(slot, request) : undefined,
    ),
  );
  const degraded = settled.some(({ status }) => status === "rejected");
  return ledger.refused(slots[reached]![0]!, degraded);
}

/**
 * Looks at slots after one that failed. Returns the index of a charge in one that refuses, which stands; else
 * undefined.
 */
async function refusalIn(
  slots: readonly (readonly number[])[],
  ledger: SlotLedger,
): Promise<number | undefined> {
  const looks = await Promise.allSettled(slots.map((slot) => ledger.ask(slot, false)));
  const first = looks.findIndex((look) => look.status === "fulfilled" && !look.value);
  return slots[first]?.[0];
}

/** Gives back the charges of a refused request and looks again, except for policies that count refusals. */
async function undo(slot: readonly number[], { charges, keep, ledger }: Request): Promise<unknown> {
  const rest = slot.filter((i) => !charges[i]!.policy.countRefused);
  return Promise.all([keep && ledger.giveBack(rest), rest.length > 0 && ledger.ask(rest, false)]);
}

/** Charges the policies that count refusals in a slot that a refused request did not reach, and looks at the others. */
async function pass(slot: readonly number[], request: Request): Promise<unknown> {
  const { charges, keep, ledger } = request;
  const counted = slot.filter((i) => charges[i]!.policy.countRefused);
  const rest = slot.filter((i) => !charges[i]!.policy.countRefused);
  return Promise.all([
    counted.length > 0 && ledger.ask(counted, keep),
    rest.length > 0 && look(rest, request),
  ]);
}

/** Looks at charges, and lets policies with bans count the refusals it saw. */
async function look(slot: readonly number[], request: Request): Promise<unknown> {
  const { charges, keep, ledger } = request;
  await ledger.ask(slot, false);
  const refused = slot.filter((i) => !ledger.fits(i) && charges[i]!.policy.ban);
  if (!keep || refused.length === 0) return undefined;
  await ledger.ask(refused, true);
  return refused.some(ledger.fits) && undo(refused, request);
}
