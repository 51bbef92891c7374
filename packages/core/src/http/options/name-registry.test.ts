import { describe, expect, it } from "vitest";
import { nameRegistry } from "./name-registry.ts";

const perMinute = (limit: number, name?: string) => ({ limit, window: "1m", name }) as const;

describe("nameRegistry", () => {
  it("takes one name for one meaning, as often as it comes", () => {
    const names = nameRegistry();
    names.add(perMinute(5, "api"));
    names.add({ limit: 5, window: 60_000, name: "api" });
    names.add(perMinute(7, "login"));
  });

  it.each([
    ["given twice", "api", "api", '"api"'],
    ["left out twice", undefined, undefined, '"default"'],
    ["left out, and given as what that means", undefined, "default", '"default"'],
  ])("refuses another meaning for a name that is %s", (_, first, second, shown) => {
    const names = nameRegistry();
    names.add(perMinute(5, first));
    expect(() =>
      names.add({ policies: [{ ...perMinute(9, second), name: second ?? "default" }] }),
    ).toThrow(`name: expected what ${shown} stands for elsewhere (`);
  });
});
