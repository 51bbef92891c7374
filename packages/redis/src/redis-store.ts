import type { Charge, Policy, Receipt, Store, Taken } from "@spillway/core";
import { ConfigError, received, systemClock, wholeClock } from "@spillway/core";
import { takeAcross } from "./across-slots.ts";
import { type RedisClient, redisPort } from "./client/redis-client.ts";
import { isTryAgain } from "./client/run-script.ts";
import { keyNames } from "./key-names.ts";
import type { Operation, Take } from "./operation.ts";
import { checkRedisOptions, type RedisStoreOptions } from "./redis-options.ts";
import { type RedisQueue, redisQueue, sendNow, unqueued } from "./redis-queue.ts";
import { placeOfTwin } from "./script/twins.ts";
import { senderOf } from "./sender.ts";
import { slotOf } from "./slot.ts";

/** A store in Redis, whose answers are promises. */
export interface RedisStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Promise<Taken>;
  give(receipt: Receipt): Promise<void>;
  reset(policy: Policy, key: string): Promise<void>;
  /** Resolves once Redis runs the script for any call; rejects with a `StoreError` that says why it does not. */
  ready(): Promise<void>;
  close(): void;
}

/**
 * Keeps the limiters' keys in Redis, shared by all servers, in one round trip per request. Every answer comes within
 * `deadline`, or the promise rejects with a `StoreError`: nothing is queued for an unreachable server. The client
 * remains the caller's: it is connected if it is not yet, and never closed. Throws a `ConfigError` if it is not a
 * supported client or an option is invalid.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RedisStore {
  const { prefix = defaultPrefix, deadline = 100, clock: given } = checkRedisOptions(options);
  const port = redisPort(client);
  const names = keyNames(prefix);
  const clock = given && wholeClock(given);
  const sender = senderOf(port, { names, deadline, clock });
  const queue = redisQueue(sender, port.clustered ? slotOfOperation : () => 0);
  const push = port.clustered ? followed : queue.push;
  /** When the slot or key of a state was read, for requests whose charges are in several. */
  const times = new WeakMap<Taken["states"][number], number>();

  /** A brace in the client's own prefix opens the hash tag before ours does. */
  function slotOfKey(policy: Policy, key: string): number {
    return slotOf(port.keyPrefix + names(policy, key));
  }

  function slotOfOperation(operation: Operation): number {
    const subject =
      operation.type === "take"
        ? operation.charges[0]!
        : operation.type === "give"
          ? operation.charge
          : operation;
    return slotOfKey(subject.policy, subject.key);
  }

  /** Groups charges by something about their keys. Returns the indexes of each group. */
  function partsOf(
    charges: readonly Charge[],
    of: (policy: Policy, key: string) => string | number,
  ): number[][] {
    const parts = new Map<string | number, number[]>();
    charges.forEach(({ policy, key }, i) => {
      const part = of(policy, key);
      const places = parts.get(part);
      if (places) places.push(i);
      else parts.set(part, [i]);
    });
    return [...parts.values()];
  }

  async function takeApart(
    parts: number[][],
    { charges, keep }: Pick<Take, "charges" | "keep">,
    means: { readonly push: RedisQueue["push"]; readonly deadline: number },
  ): Promise<Taken> {
    const timeOf = (state: Taken["states"][number]): number | undefined => times.get(state);
    const { taken, clocks } = await takeAcross(parts, charges, keep, { ...means, timeOf });
    for (const [i, state] of taken.states.entries()) times.set(state, clocks[i]!);
    return taken;
  }

  /**
   * Runs an operation, even while its slot migrates: a call with keys on both sides is then refused and has done
   * nothing, but a call with a single key is redirected to where that is.
   */
  async function followed(operation: Operation): Promise<Taken | undefined> {
    const began = systemClock();
    try {
      return await queue.push(operation);
    } catch (error) {
      const left = deadline - (systemClock() - began);
      if (!isTryAgain(error) || left <= 0) throw error;
      const means = { push: unqueued(sender, slotOfOperation, left), deadline: left };
      const parts = operation.type === "take" ? partsOf(operation.charges, names) : [];
      return parts.length > 1 ? takeApart(parts, operation as Take, means) : means.push(operation);
    }
  }

  return {
    take(charges, keep) {
      try {
        if (charges.length === 0) throw unfit("charges", "at least one", "none");
        charges.forEach(check);
      } catch (error) {
        return Promise.reject(error);
      }
      const slots = port.clustered && charges.length > 1 ? partsOf(charges, slotOfKey) : [];
      if (slots.length > 1) return takeApart(slots, { charges, keep }, { push, deadline });
      // Nothing is awaited here: outside a cluster, each request waits for one promise only, the queue's.
      return push({ type: "take", charges, keep }) as Promise<Taken>;
    },

    async give({ charges, now, fits, states }) {
      const gives = charges.flatMap((charge, i): Operation[] => {
        check(charge, i);
        if (!fits[i] || charge.cost === 0) return [];
        const left = states[i]!;
        const at = times.get(left) ?? now;
        checkWhole(at, "now");
        for (const [j, number] of left.entries()) checkWhole(number, `states[${i}][${j}]`);
        return [{ type: "give", charge, at, left }];
      });
      await Promise.all(gives.map((operation) => push(operation)));
    },

    async reset(policy, key) {
      checkKey(key, "key");
      placeOfTwin(policy.algorithm.name);
      await push({ type: "reset", policy, key });
    },

    async ready() {
      await sendNow(sender, [], 0);
    },

    close: () => queue.close(),

    place: placeOf(client, prefix),
  };
}

const defaultPrefix = "rl:";
const places = new WeakMap<object, Map<string, object>>();

/** Returns the object where a prefix's keys live: stores of one client that share no keys share no unnamed policy. */
function placeOf(client: object, prefix: string): object {
  if (prefix === defaultPrefix) return client;
  const known = places.get(client) ?? new Map<string, object>();
  places.set(client, known);
  const place = known.get(prefix) ?? {};
  known.set(prefix, place);
  return place;
}

/** Throws a `ConfigError` for a charge that would spoil its call. */
function check({ policy, key, cost }: Charge, i: number): void {
  checkWhole(cost, `charges[${i}].cost`);
  checkKey(key, `charges[${i}].key`);
  placeOfTwin(policy.algorithm.name);
}

function checkWhole(value: number, path: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw unfit(path, "a whole number from 0 to 2^53 - 1", received(value));
}

function checkKey(key: unknown, path: string): void {
  if (typeof key !== "string") throw unfit(path, "a string", received(key));
}

function unfit(path: string, expected: string, seen: string): ConfigError {
  return new ConfigError([{ path, expected, received: seen }]);
}
