import { describe, expect, it } from "vitest";
import { memoryStore } from "./memory-store.ts";
import { spaceOf } from "./spaces.ts";

describe("spaceOf", () => {
  it("keeps a name of one's own", () => {
    const store = memoryStore();
    const one = spaceOf(store, "login", "5/60000", "fixed-window");
    one.used = true;
    expect(one.id).toBe("login");
    expect(spaceOf(store, "login", "9/1000", "fixed-window").id).toBe("login");
  });

  it("gives unnamed policies of the same settings one space", () => {
    const store = memoryStore();
    expect(spaceOf(store, "default", "5/1000", "k")).toBe(spaceOf(store, "default", "5/1000", "k"));
  });

  it("tells unnamed policies of other settings apart while none was charged", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "k");
    const second = spaceOf(store, "default", "9/1000", "k");
    const third = spaceOf(store, "default", "9/2000", "k");
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(spaceOf(store, "default", "9/1000", "k")).toBe(second);
    first.used = true;
    expect(spaceOf(store, "default", "9/2000", "k")).toBe(third);
  });

  it("lets a policy with other settings take over what was charged before it came", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "k");
    first.used = true;
    expect(spaceOf(store, "default", "9/1000", "k")).toBe(first);
    expect(spaceOf(store, "default", "9/1000", "k")).toBe(first);
  });

  it("keeps kinds apart by the store's own means", () => {
    const store = memoryStore();
    const first = spaceOf(store, "default", "5/1000", "fixed-window");
    first.used = true;
    const other = spaceOf(store, "default", "9/1000", "token-bucket");
    expect(other).not.toBe(first);
    expect(other.used).toBe(false);
  });

  it("is remembered with the place that several stores share", () => {
    const place = {};
    const [one, two] = [
      { ...memoryStore(), place },
      { ...memoryStore(), place },
    ];
    const first = spaceOf(one, "default", "5/1000", "k");
    expect(spaceOf(two, "default", "5/1000", "k")).toBe(first);
    expect(spaceOf(two, "default", "9/1000", "k").id).not.toBe(first.id);
    expect(spaceOf(memoryStore(), "default", "9/1000", "k").id).toBe("default");
  });
});
