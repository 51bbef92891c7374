import type { Charge, Policy } from "@spillway/core";
import { shapeOf } from "./policy-shape.ts";
import { alikeScript, type Script } from "./script.ts";
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
      if (shapeOf(policy, now).script !== shapeOf(known, now).script) return undefined;
      if (charges.length > 1 && placeOf(policy) !== placeOf(known)) return undefined;
    }
  }
  const shapes = charges.map(({ policy }) => shapeOf(policy, now));
  if (shapes.length === 1) return shapes[0]!.script;
  const forms = shapes.map(({ form }) => form).filter((form) => form !== undefined);
  return forms.length === shapes.length && areApart(charges) ? alikeScript(forms) : undefined;
}

/** What tells the keys of a policy from those of others. */
function placeOf({ kind, space }: Policy): string {
  return `${kind} ${space}`;
}

/** Whether no two charges can be of one key, whoever is charged. */
function areApart(charges: readonly Charge[]): boolean {
  return new Set(charges.map(({ policy }) => placeOf(policy))).size === charges.length;
}

/** What waits for an answer to a wish. */
export interface WithWish {
  readonly wish: Wish;
}

/** So many of a kind are worth a call of their own. */
const fewest = 4;

/**
 * Parts the wishes of a turn by their charges, so that those of each part are alike and no two parts charge one key:
 * then the order of the parts is nobody's. Undefined where that cannot be, or parts would be small.
 */
export function kindsOf<T extends WithWish>(
  waiting: readonly T[],
  now: number,
): readonly (readonly T[])[] | undefined {
  if (areAlike(waiting, now)) return [waiting];
  const kinds = new Map<string, T[]>();
  for (const each of waiting) {
    if (each.wish.act !== "take") return undefined;
    const places = each.wish.charges.map(({ policy }) => placeOf(policy)).join(" ");
    const known = kinds.get(places);
    if (known) known.push(each);
    else if ((kinds.size + 1) * fewest > waiting.length) return undefined;
    else kinds.set(places, [each]);
  }
  const parts = [...kinds.values()];
  const taken = parts.flatMap(([first]) => chargesOf(first!).map(({ policy }) => placeOf(policy)));
  if (new Set(taken).size < taken.length) return undefined;
  return parts.every((part) => areAlike(part, now)) ? parts : undefined;
}

function areAlike(waiting: readonly WithWish[], now: number): boolean {
  const wishes = waiting.map(({ wish }) => wish);
  return scriptFor(wishes, now) !== undefined;
}

function chargesOf({ wish }: WithWish): readonly Charge[] {
  return wish.act === "take" ? wish.charges : [];
}
