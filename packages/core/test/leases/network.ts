import type { Store } from "../../src/index.ts";

/** A network that delivers requests to a store, and its answers, when and in which order it is told. */
export interface Network {
  /** The store as it is seen from the other end. */
  readonly store: Store;
  /** Whether everything is delivered at once. */
  isQuick: boolean;
  /** Delivers one of the requests under way, if there is one. */
  deliver(nth?: number): void;
  /** Delivers one of the answers under way, if there is one, or loses it. */
  answer(nth?: number, isLost?: boolean): void;
  /** Delivers everything, and is quick from then on. */
  settle(): Promise<void>;
}

export function network(store: Store): Network {
  const requests: (() => void)[] = [];
  const answers: ((isLost: boolean) => void)[] = [];
  const send = <T>(decide: () => T | Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      requests.push(() => {
        const result = decide();
        answers.push((isLost) => (isLost ? reject(new Error("lost")) : resolve(result)));
        if (network.isQuick) network.answer(answers.length - 1);
      });
      if (network.isQuick) network.deliver(requests.length - 1);
    });
  const network: Network = {
    isQuick: false,
    store: {
      take: (charges, keep) => send(() => store.take(charges, keep)),
      give: (receipt) => send(() => store.give(receipt)),
      reset: (policy, key) => send(() => store.reset(policy, key)),
    },
    deliver(nth = 0) {
      const [request] = requests.splice(nth % Math.max(1, requests.length), 1);
      request?.();
    },
    answer(nth = 0, isLost = false) {
      const [answer] = answers.splice(nth % Math.max(1, answers.length), 1);
      answer?.(isLost);
    },
    async settle() {
      network.isQuick = true;
      while (requests.length + answers.length > 0) {
        while (requests.length > 0) network.deliver();
        while (answers.length > 0) network.answer();
        await promisesRun();
      }
    },
  };
  return network;
}

/** Runs the promises that wait for each other, a dozen deep. */
export async function promisesRun(): Promise<void> {
  for (let i = 0; i < 12; i++) await undefined;
}
