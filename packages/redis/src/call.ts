import type { Policy } from "@spillway/core";
import type { ScriptCall } from "./client/run-script.ts";
import type { KeyNames } from "./key-names.ts";
import type { Operation, Take } from "./operation.ts";
import { type PolicyShape, shapeOf } from "./script/policy-shape.ts";
import type { Script } from "./script/script.ts";

/** The times of a call, epoch milliseconds. */
export interface CallTimes {
  /** The approximate server time. */
  readonly now: number;
  /**
   * The server time after which the call must do nothing, to the second; 0 for none. It also does nothing if the
   * server's time is outside the policies' calendar windows, which are those around `now`.
   */
  readonly last: number;
  /** The time to decide by instead of the server's clock, if given. */
  readonly clock: number | undefined;
}

/** Encodes operations as one call, either of the script for any call or of one found for these and others alike. */
export function callOf(
  operations: readonly Operation[],
  names: KeyNames,
  script: Script,
  { now, last, clock }: CallTimes,
): ScriptCall {
  const keys: string[] = [];
  const policies = policyList(now);
  const items = script.forms
    ? writeAlike(operations as readonly Take[], names, policies, keys)
    : writeAny(operations, names, policies, keys);
  const [from, end] = policies.span();
  const until = last === 0 ? -1 : Math.min(Math.ceil(last / 1000), Math.floor(end / 1000) - 1);
  const text = `[${until},${Math.ceil(from / 1000)},[${policies.text()}]${items}]`;
  return { script, keys, args: clock === undefined ? [text] : [text, String(clock)] };
}

/** The distinct policies of a call. */
interface PolicyList {
  /** Returns the index of a policy, from 1, adding it if new. */
  at(policy: Policy): number;
  text(): string;
  /** Returns the times at which all of them are valid. */
  span(): PolicyShape["span"];
}

function policyList(now: number): PolicyList {
  const places = new Map<Policy, number>();
  let text = "";
  let [from, end] = [0, Infinity];
  return {
    at(policy) {
      const known = places.get(policy);
      if (known !== undefined) return known;
      const place = places.size + 1;
      places.set(policy, place);
      const { text: own, span } = shapeOf(policy, now);
      text += `${place === 1 ? "" : ","}${own}`;
      if (span[0] > from) from = span[0];
      if (span[1] < end) end = span[1];
      return place;
    },
    text: () => text,
    span: () => [from, end],
  };
}

/** Encodes the items of a script for alike requests, with one key for each charge. */
function writeAlike(
  operations: readonly Take[],
  names: KeyNames,
  policies: PolicyList,
  keys: string[],
): string {
  let items = "";
  for (const { charges } of operations) {
    for (const { policy, key, cost } of charges) {
      keys.push(names(policy, key));
      items += `,${policies.at(policy)},${cost}`;
    }
  }
  return items;
}

/** Encodes the items of the script for any call, and collects the distinct keys. */
function writeAny(
  operations: readonly Operation[],
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

  for (const operation of operations) {
    if (operation.type === "take") {
      let item = operation.keep ? ",[1" : ",[0";
      for (const { policy, key, cost } of operation.charges) {
        item += `,${keyAt(policy, key)},${policies.at(policy)},${cost}`;
      }
      items += `${item}]`;
    } else if (operation.type === "give") {
      const { at, left } = operation;
      const { policy, key, cost } = operation.charge;
      items += `,[2,${keyAt(policy, key)},${policies.at(policy)},${cost},${at},${left.join(",")}]`;
    } else {
      items += `,[3,${keyAt(operation.policy, operation.key)}]`;
    }
  }
  return items;
}
