import { type Charge, countersOf } from "@spillway/core";
import type { Operation } from "./operation.ts";
import type { AlikeScripts } from "./script/alike-scripts.ts";
import { anyScript } from "./script/any-script.ts";
import { shapeOf } from "./script/policy-shape.ts";
import type { Script } from "./script/script.ts";
import type { StateForm } from "./script/state-form.ts";

/** Operations of one turn that are sent together, and the script that runs them all. */
export interface Batch<T> {
  readonly waiting: readonly T[];
  readonly script: Script;
}

/** Something that waits for the outcome of an operation. */
export interface WithOperation {
  readonly operation: Operation;
}

/** The most charges per request for which a script for alike requests is made: it has some lines for each. */
const maxAlikeCharges = 8;

/** Above this average of charges per key and turn, it is cheaper to read and write each key once a call. */
const maxChargesPerKey = 4;

/** The average size of batches that are worth calls of their own. */
const minBatchSize = 4;

/**
 * Groups the operations of a turn by their charges, so that those of each batch are alike and no two batches share a
 * key: their order does not matter then. If that is impossible, or batches would be small, all become one batch of the
 * script for any call, whose order holds even on a server that does not know the script. `now` is the approximate
 * server time; a script made for the size of numbers at that time is correct at any other.
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

/** Whether few keys are charged often, each on its own: the script for any call reads and writes a key once a call. */
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
 * Finds the script for operations that are all kept takes, with the same charges of distinct counters whose states have
 * forms. Undefined if only the script for any call will do.
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
  const forms: StateForm[] = [];
  for (const { policy } of charges) {
    const { form } = shapeOf(policy, now);
    if (!form) return undefined;
    forms.push(form);
  }
  return charges.length === 1 || areApart(charges) ? scripts(forms) : undefined;
}

/** Groups operations by the counters they charge; undefined if two groups share one, or if they would be small. */
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

/** Whether no two charges can share a key, whatever the identity. */
function areApart(charges: readonly Charge[]): boolean {
  return new Set(charges.map(({ policy }) => countersOf(policy))).size === charges.length;
}
