import type { Charge, Policy } from "@spillway/core";
import { shapeOf } from "./script/policy-shape.ts";
import { alikeScript, type Script } from "./script/script.ts";
import type { Wish } from "./wish.ts";

/** The most charges of a request that the script for those alike is made for: it has some lines for each. */
const most = 8;

/**
 * Finds the script for wishes that are all taken and kept, with the same charges of keys that cannot be the same,
 * where their states have forms. Undefined where only the script for any call does.
 */
export function scriptFor(wishes: readonly Wish[], now: number): Script | undefined {
  const [first] = wishes;
  if (first?.act !== "take" || first.charges.length > most) return undefined;
  const { charges } = first;
  for (const wish of wishes) {
    if (wish.act !== "take" || !wish.keep) return undefined;
    if (wish.charges.length !== charges.length) return undefined;
    for (let i = 0; i < charges.length; i++) {
      const { policy, cost } = wish.charges[i]!;
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
  return alikeScript(forms);
}

/** Names the counters of a policy, as stores know them. */
function countersOf({ kind, space }: Policy): string {
  return `${kind} ${space}`;
}

/** Whether no two charges can be of one key, whoever is charged. */
function areApart(charges: readonly Charge[]): boolean {
  return new Set(charges.map(({ policy }) => countersOf(policy))).size === charges.length;
}

/** What waits for an answer to a wish. */
export interface WithWish {
  readonly wish: Wish;
}

/** So many of a kind, on the average, are worth a call of their own. */
const fewest = 4;

/**
 * Parts the wishes of a turn by their charges, so that those of each part are alike and no two parts charge one key:
 * then the order of the parts is nobody's. Undefined where that cannot be, or parts would be small.
 */
export function kindsOf<T extends WithWish>(
  waiting: readonly T[],
  now: number,
): readonly (readonly T[])[] | undefined {
  if (areFew(waiting)) return undefined;
  if (areAlike(waiting, now)) return [waiting];
  const kinds = new Map<string, T[]>();
  for (const each of waiting) {
    if (each.wish.act !== "take") return undefined;
    const spaces = each.wish.charges.map(({ policy }) => countersOf(policy)).join(" ");
    const known = kinds.get(spaces);
    if (known) known.push(each);
    else if ((kinds.size + 1) * fewest > waiting.length) return undefined;
    else kinds.set(spaces, [each]);
  }
  const parts = [...kinds.values()];
  const taken = parts.flatMap(([first]) =>
    chargesOf(first!).map(({ policy }) => countersOf(policy)),
  );
  if (new Set(taken).size < taken.length) return undefined;
  return parts.every((part) => areAlike(part, now)) ? parts : undefined;
}

/** Whether few keys are charged often, each alone: the script for any reads and writes a key once a call. */
function areFew(waiting: readonly WithWish[]): boolean {
  const keys = new Set<string>();
  for (const { wish } of waiting) {
    if (wish.act !== "take" || wish.charges.length !== 1) return false;
    keys.add(wish.charges[0]!.key);
  }
  return keys.size * 4 < waiting.length;
}

function areAlike(waiting: readonly WithWish[], now: number): boolean {
  const wishes = waiting.map(({ wish }) => wish);
  return scriptFor(wishes, now) !== undefined;
}

function chargesOf({ wish }: WithWish): readonly Charge[] {
  return wish.act === "take" ? wish.charges : [];
}
