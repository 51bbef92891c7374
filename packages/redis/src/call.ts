import type { Policy } from "@spillway/core";
import type { KeyNames } from "./key-names.ts";
import { shapeOf } from "./policy-shape.ts";
import { type Script, script } from "./script.ts";
import type { Take, Wish } from "./wish.ts";

/** One call of a script. */
export interface Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * Finds the script for wishes that are single charges, taken and kept, where one script does for all of them.
 */
export function singlesFor(wishes: readonly Wish[], now: number): Script | undefined {
  let found: Script | undefined;
  let latest: Policy | undefined;
  for (const wish of wishes) {
    if (wish.act !== "take" || !wish.keep || wish.charges.length !== 1) return undefined;
    const { policy, cost } = wish.charges[0]!;
    if (cost === 0) return undefined;
    if (policy === latest) continue;
    const { singles } = shapeOf(policy, now);
    if (singles === undefined || (found ?? singles) !== singles) return undefined;
    found = singles;
    latest = policy;
  }
  return found;
}

/**
 * Writes wishes as one call. `now` is about the time on the server; `last` the time there after which
 * the call must do nothing, to the second, 0 for none; with `clock` the time is that one and not the server's. Wishes
 * of a turn that are not `alike`, single charges by one script, run the script for any in every call: a server that
 * does not know it keeps their order.
 */
export function callOf(
  wishes: readonly Wish[],
  names: KeyNames,
  now: number,
  last: number,
  clock: number | undefined,
  alike = true,
): Call {
  const singles = alike ? singlesFor(wishes, now) : undefined;
  const keys: string[] = [];
  const policies = policyList(now);
  const items = singles
    ? writeSingles(wishes as readonly Take[], names, policies, keys)
    : writeAny(wishes, names, policies, keys);
  const until = last === 0 ? -1 : Math.ceil(last / 1000);
  const text = `[${until},[${policies.text()}]${items}]`;
  const args = clock === undefined ? [text] : [text, String(clock)];
  return { script: singles ?? script, keys, args };
}

/** The policies of a call, which has each of them once. */
interface PolicyList {
  /** The place of a policy, from 1. */
  at(policy: Policy): number;
  text(): string;
}

function policyList(now: number): PolicyList {
  const places = new Map<Policy, number>();
  let text = "";
  return {
    at(policy) {
      const known = places.get(policy);
      if (known !== undefined) return known;
      const place = places.size + 1;
      places.set(policy, place);
      text += `${place === 1 ? "" : ","}${shapeOf(policy, now).text}`;
      return place;
    },
    text: () => text,
  };
}

/** Writes the items of `singleTakes`, and its keys: one for each. */
function writeSingles(
  wishes: readonly Take[],
  names: KeyNames,
  policies: PolicyList,
  keys: string[],
): string {
  let items = "";
  for (const { charges } of wishes) {
    const { policy, key, cost } = charges[0]!;
    keys.push(names(policy, key));
    items += `,${policies.at(policy)},${cost}`;
  }
  return items;
}

/** Writes the items of the script for any call, and the distinct keys. */
function writeAny(
  wishes: readonly Wish[],
  names: KeyNames,
  policies: PolicyList,
  keys: string[],
): string {
  const places = new Map<string, number>();
  let items = "";

  function keyAt(policy: Policy, key: string): number {
    const name = names(policy, key);
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, keys.push(name));
    return keys.length;
  }

  for (const wish of wishes) {
    if (wish.act === "take") {
      let item = wish.keep ? ",[1" : ",[0";
      for (const { policy, key, cost } of wish.charges) {
        item += `,${keyAt(policy, key)},${policies.at(policy)},${cost}`;
      }
      items += `${item}]`;
    } else if (wish.act === "give") {
      const { at, left } = wish;
      const { policy, key, cost } = wish.charge;
      items += `,[2,${keyAt(policy, key)},${policies.at(policy)},${cost},${at},${left.join(",")}]`;
    } else {
      items += `,[3,${keyAt(wish.policy, wish.key)}]`;
    }
  }
  return items;
}
