import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { requestOf } from "../../../test/http-scenarios/requests.ts";
import { hold } from "./hold.ts";

describe("hold", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits as long as it is told, by one timer, and leaves no listener", async () => {
    const { res, socket } = requestOf();
    res.assignSocket(socket);
    const before = res.listenerCount("close");
    const held = hold(res, 5000);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(4999);
    expect(res.listenerCount("close")).toBe(before + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await held).toBe(true);
    expect(res.listenerCount("close")).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("frees its timer at once where the client goes away", async () => {
    const { res, socket } = requestOf();
    res.assignSocket(socket);
    const held = hold(res, 3_600_000);
    res.emit("close");
    expect(vi.getTimerCount()).toBe(0);
    expect(await held).toBe(false);
  });

  it("makes no timer for a client that has left already", async () => {
    const { res, socket } = requestOf();
    socket.destroy();
    expect(await hold(res, 5000)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never turns a wait past a timer's longest into none", async () => {
    const { res, socket } = requestOf();
    res.assignSocket(socket);
    let done = false;
    const held = hold(res, 2 ** 31 + 5000).then((stayed) => {
      done = stayed;
    });
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await held;
    expect(done).toBe(true);
  });
});
