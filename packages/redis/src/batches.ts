import { type Charge, countersOf } from "@spillway/core";
import type { Operation } from "./operation.ts";
import type { AlikeScripts } from "./script/alike-scripts.ts";
import { anyScript } from "./script/any-script.ts";
import { shapeOf } from "./script/policy-shape.ts";
import type { Script } from "./script/script.ts";

/** Operations of a turn that travel together, and the script that they all run. */
export interface Batch<T> {
  readonly waiting: readonly T[];
  readonly script: Script;
}

/** What waits for an answer to an operation. */
export interface WithOperation {
  readonly operation: Operation;
}

/** The most charges of a request that the script for those alike is made for: it has some lines for each. */
const maxAlikeCharges = 8;

/** Keys that are charged more often than this by a turn, on the average, are better read and written once a call. */
const maxChargesPerKey = 4;

/** So many in a batch, on the average, are worth a call of their own. */
const minBatchSize = 4;

/**
 * Parts the operations of a turn by their charges, so that those of each part are alike and no two parts charge one key:
 * then the order of the parts is nobody's. Where that cannot be, or parts would be small, all of them are one batch, of
 * the script for any call: a server that does not know it keeps their order. `now` is about the time on the server; a
 * script that was found stays right at any other, and is only made for what numbers look like then.
 */
export function batchesOf<T extends WithOperation>(
  waiting: readonly T[],
  scripts: AlikeScripts,
  now: number,
): readonly Batch<T>[] {
  return apart(waiting, scripts, now) ?? [{ waiting, script: anyScript }];
}

function apart<T extends WithOperation>(
  waiting: readonly T[],
  scripts: AlikeScripts,
  now: number,
): readonly Batch<T>[] | undefined {
  if (areFew(waiting)) return undefined;
  const alike = scriptFor(waiting, scripts, now);
  if (alike) return [{ waiting, script: alike }];
  const parts = partsOf(waiting);
  if (!parts) return undefined;
  const batches: Batch<T>[] = [];
  for (const part of parts) {
    const own = scriptFor(part, scripts, now);
    if (!own) return undefined;
    batches.push({ waiting: part, script: own });
  }
  return batches;
}

/** Whether few keys are charged often, each alone: the script for any reads and writes a key once a call. */
function areFew(waiting: readonly WithOperation[]): boolean {
  if (waiting.length <= maxChargesPerKey) return false;
  const keys = new Set<string>();
  for (const { operation } of waiting) {
    if (operation.type !== "take" || operation.charges.length !== 1) return false;
    keys.add(operation.charges[0]!.key);
  }
  return keys.size * maxChargesPerKey < waiting.length;
}

/**
 * Finds the script for operations that are all taken and kept, with the same charges of keys that cannot be the same,
 * where their states have forms. Undefined where only the script for any call does.
 */
function scriptFor(
  waiting: readonly WithOperation[],
  scripts: AlikeScripts,
  now: number,
): Script | undefined {
  const first = waiting[0]?.operation;
  if (first?.type !== "take" || first.charges.length > maxAlikeCharges) return undefined;
  const { charges } = first;
  for (const { operation } of waiting) {
    if (operation.type !== "take" || !operation.keep) return undefined;
    if (operation.charges.length !== charges.length) return undefined;
    for (let i = 0; i < charges.length; i++) {
      const { policy, cost } = operation.charges[i]!;
      if (cost === 0) return undefined;
      const known = charges[i]!.policy;
      if (policy === known) continue;
      if (shapeOf(policy, now).form?.name !== shapeOf(known, now).form?.name) return undefined;
      if (charges.length > 1 && countersOf(policy) !== countersOf(known)) return undefined;
    }
  }
  const shapes = charges.map(({ policy }) => shapeOf(policy, now));
  const forms = shapes.map(({ form }) => form).filter((form) => form !== undefined);
  if (forms.length < shapes.length || !areApart(charges)) return undefined;
  return scripts(forms);
}

/** Parts operations by the counters that they charge; undefined where two parts share one, or they would be small. */
function partsOf<T extends WithOperation>(waiting: readonly T[]): readonly T[][] | undefined {
  const parts = new Map<string, T[]>();
  const taken: Charge[] = [];
  for (const each of waiting) {
    if (each.operation.type !== "take") return undefined;
    const { charges } = each.operation;
    const counters = charges.map(({ policy }) => countersOf(policy)).join(" ");
    const known = parts.get(counters);
    if (known) known.push(each);
    else if ((parts.size + 1) * minBatchSize > waiting.length) return undefined;
    else {
      parts.set(counters, [each]);
      taken.push(...charges);
    }
  }
  return areApart(taken) ? [...parts.values()] : undefined;
}

/** Whether no two charges can be of one key, whoever is charged. */
function areApart(charges: readonly Charge[]): boolean {
  return new Set(charges.map(({ policy }) => countersOf(policy))).size === charges.length;
}
