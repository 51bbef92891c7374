import { type AlgorithmName, algorithms, type Charge, StoreError } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { alikeScripts } from "../src/script/alike-scripts.ts";
import { anyScript } from "../src/script/any-script.ts";
import { shapeOf } from "../src/script/policy-shape.ts";
import { bundled, stateForm, unbundled } from "../src/script/state-form.ts";
import { policyOf } from "./support/policy.ts";
import { client, server } from "./support/redis.ts";

const deadline = 10_000;
let redis: Redis;

beforeEach(async () => {
  redis = client((await server()).port);
});

/** Creates a store, and records the scripts that it called. */
function watched(clock?: () => number) {
  const called: string[] = [];
  const store = redisStore(
    Object.assign(Object.create(redis) as Redis, {
      evalsha(...args: [string, number, ...string[]]) {
        called.push(args[0] === anyScript.sha ? "any" : args[0]);
        return redis.evalsha(...args);
      },
    }),
    { deadline, clock },
  );
  return { called, store };
}

const names = (Object.keys(algorithms) as AlgorithmName[]).filter((name) => name !== "sliding-log");
const one = policyOf({ name: "one" });
const two = policyOf({ name: "two" });
const three = policyOf({ name: "three" });
const charge = (policy = one, key = "k", cost = 1): Charge => ({ policy, key, cost });

describe("requests that are charged alike", () => {
  test.each(names)("run one script of their own: %s", async (algorithm) => {
    const { called, store } = watched();
    const policies = ["a", "b", "c"].map((name, i) =>
      policyOf({ name, algorithm, limit: 4 * 300 ** i, window: 60_000 * (i + 1) }),
    );
    const charges = (key: string) => policies.map((policy) => charge(policy, key));
    const taken = await Promise.all(
      ["k", "l", "k", "k", "k", "k"].map((key) => store.take(charges(key), true)),
    );
    expect(taken.map(({ fits }) => fits)).toEqual([
      ...new Array(5).fill([true, true, true]),
      [false, true, true],
    ]);
    // Eighteen charges are two calls.
    expect(called).toHaveLength(2);
    expect(new Set(called).size).toBe(1);
    expect(called).not.toContain("any");
  });

  test("may have policies of their own, as a tier or a function of the options makes them", async () => {
    const { called, store } = watched();
    const tiers = [10, 20, 30].map((limit) => policyOf({ limit }));
    const taken = await Promise.all(tiers.map((policy) => store.take([charge(policy)], true)));
    expect(taken.map(({ states }) => states[0]![2])).toEqual([1, 2, 3]);
    expect(called).toHaveLength(1);
    expect(called).not.toContain("any");
  });

  test.each<[string, readonly (readonly Charge[])[], boolean]>([
    ["look only", [[charge()]], false],
    ["cost nothing", [[charge(one, "k", 0)]], true],
    ["are charged twice by one policy", [[charge(), charge(one, "l")]], true],
    ["have other charges than another in their turn", [[charge()], [charge(), charge(two)]], true],
    [
      "have them in another order",
      [
        [charge(), charge(two)],
        [charge(two), charge()],
      ],
      true,
    ],
    ["charge one key again and again", new Array(6).fill([charge()]), true],
    ["are charged by a log", [[charge(policyOf({ algorithm: "sliding-log" }))]], true],
    [
      "are charged so often",
      [Array.from({ length: 9 }, (_, i) => charge(policyOf({ name: `${i}` })))],
      true,
    ],
  ])("run the one for any where they %s", async (_, requests, keep) => {
    const { called, store } = watched();
    await Promise.all(requests.map((charges) => store.take(charges, keep)));
    expect(called).toEqual(["any"]);
  });

  test("travel apart from others where many of each kind come in one turn", async () => {
    const { called, store } = watched();
    const kinds = [[charge(one)], [charge(two), charge(three)]];
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, i) => store.take(kinds[i % 2]!, true)),
    );
    expect(called).not.toContain("any");
    // Six charges are one call, and twelve are two.
    expect(called).toHaveLength(3);
    const used = taken.map(({ states }) => states.map((state) => state[2]));
    for (const [i, each] of used.slice(0, 10).entries()) {
      const count = Math.floor(i / 2) + 1;
      expect(each).toEqual(i % 2 ? [count, count] : [count]);
    }
    expect(taken.slice(10).map(({ fits }) => fits)).toEqual([[false], [false, false]]);
  });

  test.each<[string, readonly Charge[]]>([
    ["one policy is in both", [charge(one), charge(two)]],
    ["a policy is in both with another limit", [charge(policyOf({ name: "one", limit: 2 ** 40 }))]],
    ["the others look at a log", [charge(policyOf({ algorithm: "sliding-log" }))]],
  ])("travel with others, in order, where %s", async (_, others) => {
    const { called, store } = watched();
    const kinds = [[charge(one)], others];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        await store.take(kinds[i % 2]!, true);
        order.push(i);
      }),
    );
    expect(new Set(called)).toEqual(new Set(["any"]));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("fail whole where the key of one charge holds something else, and hinder no other", async () => {
    const { store } = watched();
    const charges = (key: string) => [charge(one, key), charge(two, key), charge(three, key)];
    await redis.set("rl:1f:two{bad}", "text");
    await redis.rpush("rl:1f:two{list}", "text");
    const answers = await Promise.allSettled(
      ["good", "bad", "list", "good"].map((key) => store.take(charges(key), true)),
    );
    expect(answers[1]).toMatchObject({ status: "rejected", reason: expect.any(StoreError) });
    expect(String((answers[1] as PromiseRejectedResult).reason)).toContain("rl:1f:two{bad}");
    expect(answers[2]).toMatchObject({ status: "rejected", reason: expect.any(StoreError) });
    expect(String((answers[2] as PromiseRejectedResult).reason)).toMatch(/two\{list\}.*WRONGTYPE/);
    const used = [answers[0]!, answers[3]!].map(
      (answer) => answer.status === "fulfilled" && answer.value.states.map((state) => state[2]),
    );
    expect(used).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
    expect(await redis.keys("*{bad}")).toEqual(["rl:1f:two{bad}"]);
    expect(await redis.keys("*{list}")).toEqual(["rl:1f:two{list}"]);
  });

  test("read and write numbers that need more bytes than usual", async () => {
    const { called, store } = watched();
    const [wide, narrow] = [2 ** 45, 7].map((limit) => policyOf({ limit }));
    const used = async (policy = narrow, cost = 1) =>
      (await store.take([charge(policy, "k", cost)], true)).states[0]![2];
    expect(await used()).toBe(1);
    expect(await used(wide, 2 ** 40)).toBe(2 ** 40 + 1);
    // Refused: the report shows what the larger limit left.
    expect(await used()).toBe(2 ** 40 + 1);
    expect(await used(wide)).toBe(2 ** 40 + 2);
    expect(new Set(called).size).toBe(2);
    expect(called).not.toContain("any");
  });
});

test("few numbers carry what the charges of a request are answered with, as Lua writes it", async () => {
  const { lua } = algorithms["fixed-window"];
  const widths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 14 });
  const answers = widths.chain((each) =>
    fc.record({
      widths: fc.constant(each),
      fits: fc.boolean(),
      state: fc.tuple(
        ...each.map((width) => fc.maxSafeNat().map((n) => n % Math.min(256 ** width, 2 ** 52))),
      ),
    }),
  );
  await fc.assert(
    fc.asyncProperty(answers, async ({ widths, fits, state }) => {
      const form = stateForm(1, lua, widths);
      const written = bundled(
        form,
        "tonumber(ARGV[1])",
        state.map((_, i) => `tonumber(ARGV[${i + 2}])`),
      );
      const numbers = (await redis.eval(
        `return { ${written.join(", ")} }`,
        0,
        ...[fits ? 1 : 0, ...state].map(String),
      )) as number[];
      for (const number of numbers) expect(number).toBeLessThan(2 ** 52);
      const read: number[] = [];
      let at = 1;
      expect(unbundled(form, numbers[0]!, () => numbers[at++]!, read)).toBe(fits);
      expect(read).toEqual(state);
      expect(at).toBe(numbers.length);
    }),
    { numRuns: 200 },
  );
});

test("scripts are few: one for each size of the numbers that states hold", () => {
  const scripts = alikeScripts();
  const made = new Set<string>();
  for (let limit = 1; limit <= 1000; limit++) {
    for (const window of [1000, 60_000, 3_600_000]) {
      const policy = policyOf({ algorithm: "sliding-window", limit, window });
      made.add(scripts([shapeOf(policy, 1_700_006_400_000).form!])!.sha);
    }
  }
  // The windows of a second and of a minute have numbers of one size.
  expect(made.size).toBe(4);
});

describe("what goes wrong with requests that are alike", () => {
  test.each<[string, () => number]>([
    ["is no time", () => Number.NaN],
    [
      "throws",
      () => {
        throw new Error("no clock");
      },
    ],
  ])("stays with them where the clock %s", async (_, broken) => {
    let clock = (): number => 1_700_006_400_000;
    const store = redisStore(redis, { deadline, clock: () => clock() });
    const take = () => store.take([charge()], true);
    await take();
    clock = broken;
    const answers = await Promise.allSettled([take(), take(), take()]);
    expect(answers.map(({ status }) => status)).toEqual(new Array(3).fill("rejected"));
    clock = () => 1_700_006_400_000;
    expect((await take()).states[0]![2]).toBe(2);
  });

  test.each([
    [5, 1_700_006_400_000],
    [1_700_006_400_000, 5],
  ])(
    "is not the time between the finding of their script, at %i, and their deciding, at %i",
    async (found, decided) => {
      // Once to check the clock, once for the script, once for the call.
      let reads = 0;
      const { called, store } = watched(() => (reads++ < 2 ? found : decided));
      const monthly = policyOf({ name: "monthly", window: "month" });
      const take = (key: string) => store.take([charge(one, key), charge(monthly, key)], true);
      const taken = await Promise.all([take("k"), take("k")]);
      expect(reads).toBe(3);
      expect(taken.map(({ now }) => now)).toEqual([decided, decided]);
      for (const [i, { states }] of taken.entries()) {
        expect(states.map((state) => state[2])).toEqual([i + 1, i + 1]);
      }
      expect(new Set(called).size).toBe(1);
      expect(called).not.toContain("any");
      const [, second] = taken;
      const look = redisStore(redis, { deadline, clock: () => decided });
      expect((await look.take([charge(one), charge(monthly)], false)).states).toEqual(
        second!.states,
      );
    },
  );

  test("is over with an answer that tells no time of a server", async () => {
    let garbled = true;
    const wrapped = Object.assign(Object.create(redis) as Redis, {
      async evalsha(...args: [string, number, ...string[]]) {
        const reply = (await redis.evalsha(...args)) as unknown[];
        if (!garbled) return reply;
        garbled = false;
        return [9e15, ...reply.slice(1)];
      },
    });
    const store = redisStore(wrapped, { deadline });
    const daily = policyOf({ window: "day" });
    const take = (policy = daily) => store.take([charge(policy)], true);
    await redis.script("FLUSH");
    await take(one).catch(() => {});
    await take(one);
    const answers = await Promise.all([take(), take()]);
    expect(answers.map(({ states }) => states[0]![2])).toEqual([1, 2]);
  });

  test("of numbers that cannot be told fails their request alone, and names the key", async () => {
    const store = redisStore(redis, { deadline, clock: () => 1000 });
    const window = { algorithm: "sliding-window", window: 60_000 } as const;
    const worn = policyOf({
      ...window,
      name: "c",
      segments: 2,
      limit: 2 ** 30,
      countRefused: true,
    });
    const others = [one, two].map((policy) => (key: string) => charge(policy, key));
    // Six numbers of seven bytes each.
    const text = `8003ffff${"1fffffffffffff".repeat(6)}`;
    await redis.set("rl:1w2:c{bad}", Buffer.from(text, "hex"));
    for (let at = 0; at < 3; at++) {
      const requests = ["bad", `good${at}`].map((key) => {
        const charges = others.map((make) => make(key));
        charges.splice(at, 0, charge(worn, key));
        return charges;
      });
      const [bad, good] = await Promise.allSettled(
        requests.map((charges) => store.take(charges, true)),
      );
      expect(bad).toMatchObject({ status: "rejected" });
      expect(String((bad as PromiseRejectedResult).reason)).toContain("rl:1w2:c{bad}");
      expect(good).toMatchObject({ status: "fulfilled", value: { fits: [true, true, true] } });
      expect(await redis.keys("*{bad}")).toEqual(["rl:1w2:c{bad}"]);
    }
  });

  test("never reads a time wrong that an injected clock tells", async () => {
    for (const now of [2 ** 52 - 1, 2 ** 52 + 1, 2 ** 53 - 3]) {
      const store = redisStore(redis, { deadline, prefix: `${now}:`, clock: () => now });
      expect((await store.take([charge()], true)).now).toBe(now);
    }
  });
});

describe("a refusal", () => {
  const spent = policyOf({ algorithm: "sliding-window", limit: 1000 });
  const writes = async (): Promise<number> =>
    Number(/cmdstat_set:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);

  test.each<[string, (take: () => Promise<unknown>, look: () => Promise<unknown>) => unknown]>([
    ["alone", (take) => take()],
    ["beside a look", (take, look) => Promise.all([take(), look()])],
    ["among others", (take) => Promise.all([take(), take()])],
  ])("%s writes nothing, whichever script wrote the state", async (_, ask) => {
    const { store } = watched();
    const take = (cost = 1) => store.take([charge(spent, "k", cost)], true);
    const look = () => store.take([charge(spent)], false);
    for (const spend of [() => take(1000), () => Promise.all([take(1000), look()])]) {
      await spend();
      await redis.config("RESETSTAT");
      await ask(take, look);
      expect(await writes()).toBe(0);
      await redis.flushall();
    }
  });

  test("stands where Redis cannot write, also beside a look", async () => {
    const { store } = watched();
    const take = (cost = 1) => store.take([charge(spent, "k", cost)], true);
    const look = () => store.take([charge(spent)], false);
    await Promise.all([take(1000), look()]);
    expect((await take()).fits).toEqual([false]);
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await redis.config("SET", "maxmemory", "1");
    expect((await take()).fits).toEqual([false]);
    const [beside] = await Promise.all([take(), look()]);
    expect(beside.fits).toEqual([false]);
    await redis.config("SET", "maxmemory", "0");
  });
});

describe("scripts", () => {
  const { lua } = algorithms["fixed-window"];
  const forms = Array.from({ length: 66 }, (_, i) =>
    stateForm(1, lua, [6, 1 + (i % 7), 1 + (Math.floor(i / 7) % 7), 1 + Math.floor(i / 49)]),
  );
  const pairs = forms.map((form) => [form, form]);

  test("for several charges have an end, for each store", () => {
    const [scripts, others] = [alikeScripts(), alikeScripts()];
    const made = pairs.map((pair) => scripts(pair));
    expect(made.slice(0, 64)).not.toContain(undefined);
    expect(made.slice(64)).toEqual([undefined, undefined]);
    expect(scripts(pairs[0]!)).toBe(made[0]);
    expect(others(pairs[65]!)).toBeDefined();
  });

  test("for one charge have none, and are those of all stores", () => {
    const [scripts, others] = [alikeScripts(), alikeScripts()];
    for (const form of forms) {
      const script = scripts([form]);
      expect(script).toBeDefined();
      expect(others([form])).toBe(script);
    }
  });

  test("that were not used for a minute make room, and no others", () => {
    const clock = manualClock();
    const scripts = alikeScripts(clock);
    const made = pairs.slice(0, 64).map((pair) => scripts(pair));
    clock.advance(59_999);
    expect(scripts(pairs[0]!)).toBe(made[0]);
    expect(scripts(pairs[64]!)).toBeUndefined();
    clock.advance(1);
    // The second is the one that was used longest ago.
    expect(scripts(pairs[64]!)).toBeDefined();
    for (const i of [0, ...Array.from({ length: 62 }, (_, i) => i + 2)]) {
      expect(scripts(pairs[i]!)).toBe(made[i]);
    }
    expect(scripts(pairs[1]!)).toBeUndefined();
    clock.advance(60_000);
    expect(scripts(pairs[1]!)).toEqual(made[1]);
  });
});
