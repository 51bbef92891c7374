import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admitUpgrade, createGuard } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";

describe("a handshake in a leaky bucket", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  function second() {
    const guard = createGuard(bareFramework(), {
      limit: 1,
      window: "1s",
      burst: 5,
      algorithm: "leaky-bucket",
      key: () => "a",
      store: memoryStore({ clock: manualClock() }),
    });
    const sockets = [new PassThrough(), new PassThrough()] as const;
    const [, admitted] = sockets.map((socket) => {
      const req = { headers: {}, socket } as unknown as BareRequest;
      return admitUpgrade(guard, req, socket, () => req);
    });
    return { admitted: admitted!, socket: sockets[1] };
  }

  it("is held until its place in the outflow", async () => {
    const { admitted } = second();
    let told = false;
    void admitted.then(() => {
      told = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await admitted).toBe(true);
  });

  it("frees its timer where the client goes away, and is not let through", async () => {
    const { admitted, socket } = second();
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(1);
    socket.destroy();
    expect(await admitted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
