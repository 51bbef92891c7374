import { describe, expect, it, vi } from "vitest";
import { createLimiter, type Limiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { type Space, spaceOf } from "./spaces.ts";

describe("spaceOf", () => {
  it("keeps a name of one's own", () => {
    const store = memoryStore();
    const one = spaceOf(store, "login", "5/60000", "fixed-window");
    one.noteCharge();
    expect(one.id).toBe("login");
    expect(spaceOf(store, "login", "9/1000", "fixed-window").id).toBe("login");
  });

  it("gives unnamed policies of the same settings one space", () => {
    const store = memoryStore();
    const [one, two] = [1, 2].map(() => spaceOf(store, "default", "5/1000", "k"));
    expect(two!.id).toBe(one!.id);
    one!.noteCharge();
    // The other is charged too, so that the next policy succeeds both.
    expect(spaceOf(store, "default", "9/1000", "k").id).toBe(two!.id);
  });

  it("tells unnamed policies of other settings apart while none was charged", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "k");
    const second = spaceOf(store, "default", "9/1000", "k");
    const third = spaceOf(store, "default", "9/2000", "k");
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(spaceOf(store, "default", "9/1000", "k").id).toBe(second.id);
    first.noteCharge();
    expect(spaceOf(store, "default", "9/2000", "k").id).toBe(third.id);
  });

  it("lets a policy with other settings take over what was charged before it came", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "k");
    first.noteCharge();
    for (let i = 0; i < 2; i++) {
      const next = spaceOf(store, "default", "9/1000", "k");
      expect(next.id).toBe(first.id);
    }
  });

  it("keeps kinds apart by the store's own means", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "fixed-window");
    first.noteCharge();
    const other = spaceOf(store, "default", "9/1000", "token-bucket");
    expect(other).not.toBe(first);
    // Nothing has been charged yet, so the next one is kept apart.
    expect(spaceOf(store, "default", "7/1000", "token-bucket").id).not.toBe(other.id);
  });

  it("is remembered with the place that several stores share", () => {
    const place = {};
    const [one, two] = [
      { ...memoryStore(), place },
      { ...memoryStore(), place },
    ];
    const first = spaceOf(one, "default", "5/1000", "k");
    expect(spaceOf(two, "default", "5/1000", "k").id).toBe(first.id);
    expect(spaceOf(two, "default", "9/1000", "k").id).not.toBe(first.id);
    expect(spaceOf(memoryStore(), "default", "9/1000", "k").id).toBe("default");
  });
});

describe("a space that was taken over", () => {
  /** Creates and charges limiters, the first of each limit, and returns which were warned. */
  async function warnedOf(...steps: (`make ${number}` | `charge ${number}`)[]): Promise<number[]> {
    const store = memoryStore();
    const limiters = new Map<number, Limiter>();
    const warned: number[] = [];
    for (const step of steps) {
      const limit = Number(step.split(" ")[1]);
      const options = { limit, window: "1m", store, onWarning: () => warned.push(limit) } as const;
      if (step.startsWith("charge")) await limiters.get(limit)!.check("key");
      else {
        const made = createLimiter(options);
        limiters.set(limit, limiters.get(limit) ?? made);
      }
    }
    return warned;
  }

  it("is one of their own for limiters without a name whose tiers mean something else, and for none with a name", async () => {
    const store = memoryStore();
    const tiers = (x: object, y = { limit: 9 }) => ({ tier: () => "x", tiers: { y, x } });
    const left = async (options: object) =>
      (await createLimiter({ limit: 5, window: "1m", store, ...options } as never).check("key"))
        .remaining;
    expect(await left(tiers({ window: "1m" }))).toBe(4);
    expect(await left({ ...tiers({}), tiers: { x: { window: 60_000 }, y: { limit: 9 } } })).toBe(3);

    const other = memoryStore();
    const make = (options: object) =>
      createLimiter({ limit: 5, window: 1000, store: other, ...options } as never);
    make({});
    const unnamed = make({ limit: 9 });
    expect((await unnamed.check("key")).remaining).toBe(8);
    expect((await make({ name: "default 9/1000", limit: 9 }).check("key")).remaining).toBe(8);
  });

  it.each<[what: string, steps: Parameters<typeof warnedOf>, warned: number[]]>([
    ["by whom it was made apart", ["make 5", "make 9", "charge 5", "charge 9", "charge 5"], []],
    ["by nobody else", ["make 5", "charge 5", "make 9", "charge 9", "charge 9"], []],
    ["by the earlier too", ["make 5", "charge 5", "make 9", "charge 9", "charge 5"], [5]],
    ["by the earlier first", ["make 5", "charge 5", "make 9", "charge 5", "charge 9"], [5]],
    ["again and again", ["make 5", "charge 5", "make 9", "charge 5", "charge 9", "charge 5"], [5]],
    [
      "though one of the same settings took it back",
      ["make 5", "charge 5", "make 9", "charge 9", "make 5", "charge 5"],
      [],
    ],
    [
      "by three in turn",
      ["make 5", "charge 5", "make 9", "charge 9", "make 7", "charge 7", "charge 9", "charge 5"],
      [9, 5],
    ],
  ])("is charged %s", async (_what, steps, warned) => {
    expect(await warnedOf(...steps)).toEqual(warned);
  });

  it("is not charged by a check that is skipped, or fails before it is charged", async () => {
    const onWarning = vi.fn();
    const fails = (): never => {
      throw new Error("mine");
    };
    let off = true;
    for (const options of [{ skip: () => off }, { cost: () => (off ? fails() : 1) }]) {
      off = true;
      const store = memoryStore();
      const first = createLimiter({ limit: 2, window: "1m", ...options, store, onWarning });
      await first.check("key").catch(() => {});
      const second = createLimiter({ limit: 5, window: "1h", store, onWarning });
      for (let i = 0; i < 3; i++) await second.check("key");
      off = false;
      expect(await first.check("key")).toMatchObject({ allowed: true, remaining: 1 });
    }
    expect(onWarning).not.toHaveBeenCalled();
  });

  it("is not charged by a look at it", async () => {
    const onWarning = vi.fn();
    const store = memoryStore();
    const [one, two] = [5, 9].map((limit) =>
      createLimiter({ limit, window: "1m", cost: () => 1, skip: () => false, store, onWarning }),
    );
    const plain = createLimiter({ limit: 7, window: "1m", store, onWarning });
    for (const looking of [one!, two!, plain]) await looking.peek("key");
    const later = createLimiter({ limit: 3, window: "1m", store, onWarning });
    for (const limiter of [one!, two!, plain, later]) await limiter.check("key");
    expect(onWarning).not.toHaveBeenCalled();
    const left = [one!, two!, plain, later].map(
      async (limiter) => (await limiter.peek("key")).remaining,
    );
    expect(await Promise.all(left)).toEqual([4, 8, 6, 2]);
  });

  it("is told of with both settings, and what to do", async () => {
    const onWarning = vi.fn();
    const store = memoryStore();
    const make = (size: Pick<PolicyOptions, "limit" | "window">) =>
      createLimiter({ ...size, algorithm: "fixed-window", store, onWarning });
    const first = make({ limit: 5, window: "1m" });
    await first.check("key");
    make({ limit: () => 9, window: "day" });
    await first.check("key");
    expect(onWarning.mock.calls).toMatchObject([
      [{ code: "SPILLWAY_UNNAMED_LIMITERS" }, undefined],
    ]);
    expect(onWarning.mock.calls[0]![0].message).toBe(
      "Two limiters without a name share one store, and count together though their settings differ: this one has limit 5, window 60000 ms, one made later has limit by a function, window day UTC, both algorithm fixed-window. Give each of them a name, or a store of its own.",
    );
  });

  it("is told of by the process where nobody set onWarning", async () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const store = memoryStore();
    const first = createLimiter({ limit: 5, window: "1m", store });
    await first.check("key", { cost: 2 });
    createLimiter({ limit: 9, window: "1m", store });
    await first.check("key", { cost: 2 });
    expect(emit.mock.calls).toMatchObject([[{ code: "SPILLWAY_UNNAMED_LIMITERS" }]]);
    emit.mockRestore();
  });

  it("is not told of where the policies of one limiter are exchanged", () => {
    const taken = vi.fn();
    const store = memoryStore();
    const [one, two] = [new Map<string, Space>(), new Map<string, Space>()];
    const make = (settings: string, held?: Map<string, Space>): Space => {
      const space = spaceOf(store, "default", settings, "k", held, taken);
      space.exchange(settings);
      return space;
    };
    const before = make("5/1000", one);
    const equal = make("5/1000", two);
    before.noteCharge();
    const after = make("9/1000", one);
    for (const space of [before, equal, after]) space.noteCharge();
    make("9/1000", two).noteCharge();
    expect(taken).not.toHaveBeenCalled();
    // Nor does it hide that another took the space over.
    make("7/1000");
    make("8/1000", one).noteCharge();
    expect(taken.mock.calls).toEqual([["8/1000", "7/1000"]]);
  });
});
