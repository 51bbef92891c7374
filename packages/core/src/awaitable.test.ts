import { describe, expect, it } from "vitest";
import { type Awaitable, eachOf, firstOf, isPromise, settled } from "./awaitable.ts";

describe("settled", () => {
  it("applies a function now or later", async () => {
    expect(settled(1, (n) => n + 1)).toBe(2);
    const promise = settled(Promise.resolve(1), (n) => n + 1);
    expect(isPromise(promise)).toBe(true);
    expect(await promise).toBe(2);
  });
});

describe("isPromise", () => {
  it.each([undefined, null, 0, "", {}, () => 1])("takes %o for no promise", (value) => {
    expect(isPromise(value)).toBe(false);
  });
});

/** Returns even numbers and undefined for odd ones, synchronously or not, and records the calls. */
function evenOnly(asked: number[]): (n: number) => Awaitable<number | undefined> {
  return (n) => {
    asked.push(n);
    const answer = n % 2 === 0 ? n : undefined;
    return n > 10 ? Promise.resolve(answer) : answer;
  };
}

describe("firstOf", () => {
  it.each([
    [[], undefined, []],
    [[1, 3], undefined, [1, 3]],
    [[1, 2, 4], 2, [1, 2]],
    [[0, 2], 0, [0]],
  ])("answers the first answer to %j in place", (list, expected, askedFor) => {
    const asked: number[] = [];
    expect(firstOf(list, evenOnly(asked))).toBe(expected);
    expect(asked).toEqual(askedFor);
  });

  it.each([
    [[11, 1, 12, 2], 12, [11, 1, 12]],
    [[1, 11, 2, 12], 2, [1, 11, 2]],
    [[11, 13, 1], undefined, [11, 13, 1]],
  ])(
    "answers the first answer to %j later, and asks for no more",
    async (list, expected, askedFor) => {
      const asked: number[] = [];
      const answer = firstOf(list, evenOnly(asked));
      expect(isPromise(answer)).toBe(true);
      expect(await answer).toBe(expected);
      expect(asked).toEqual(askedFor);
    },
  );

  it("asks for the next one only when the one before has answered", async () => {
    const asked: string[] = [];
    const answer = firstOf(["a", "b"], async (one) => {
      asked.push(`${one}?`);
      await Promise.resolve();
      asked.push(`${one}!`);
      return undefined;
    });
    await answer;
    expect(asked).toEqual(["a?", "a!", "b?", "b!"]);
  });

  it("fails as what it asks fails", async () => {
    const broken = (n: number): Awaitable<undefined> => {
      if (n === 2) throw new Error("broken");
      return undefined;
    };
    expect(() => firstOf([1, 2], broken)).toThrow("broken");
    const later = firstOf([1, 2], (n) => settled(Promise.resolve(n), broken));
    await expect(later).rejects.toThrow("broken");
  });
});

describe("eachOf", () => {
  it.each([[[]], [[1, 2, 3, 4]], [[1]]])("gathers the answers to %j in place", (list: number[]) => {
    expect(eachOf(list, evenOnly([]))).toEqual(list.filter((n) => n % 2 === 0));
  });

  it("gathers them in their order, whether they come at once or later", async () => {
    expect(await eachOf([12, 1, 2, 11, 4, 14], evenOnly([]))).toEqual([12, 2, 4, 14]);
  });
});
