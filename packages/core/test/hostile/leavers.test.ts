import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/index.ts";
import { bareFramework } from "../http-scenarios/bare-server.ts";

describe("a client that leaves while a function of the options is asked", () => {
  it("pays by its own address", async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    let left = (): void => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const paid = new Promise<string>((resolve) => {
      const guard = createGuard(bareFramework(), {
        limit: 5,
        window: "1m",
        store: memoryStore({ clock: manualClock() }),
        key: async () => {
          client.destroy();
          await gone;
          return null;
        },
        onDecision: ({ key }) => resolve(key),
      });
      server.on("request", (req) => {
        req.socket.once("close", left);
        void guard.admit(req);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const client = connect(port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await paid).toBe("ip:127.0.0.1");
  });
});
