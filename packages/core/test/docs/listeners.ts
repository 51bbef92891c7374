import { once } from "node:events";
import { type AddressInfo, Server } from "node:net";
import { vi } from "vitest";

/** Servers started by other code, each on a free port instead of 3000. */
export interface Listeners {
  /** Resolves with the port of the first one, once it listens. */
  port(): Promise<number>;
  close(): Promise<void>;
}

/** Watches for servers started from now on. */
export function watchListeners(): Listeners {
  const servers: Server[] = [];
  const { listen } = Server.prototype as { listen(...args: unknown[]): Server };
  const spy = vi.spyOn(Server.prototype, "listen");
  spy.mockImplementation(function (this: Server, ...args: unknown[]): Server {
    servers.push(this);
    return listen.apply(this, args.map(freed));
  });
  return {
    async port() {
      const [server] = servers;
      if (!server) throw new Error("nothing listens");
      if (!server.listening) await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },
    async close() {
      spy.mockRestore();
      for (const server of servers) {
        if (!server.listening) continue;
        (server as { closeAllConnections?: () => void }).closeAllConnections?.();
        await new Promise((closed) => server.close(closed));
      }
    },
  };
}

function freed(arg: unknown): unknown {
  if (arg === 3000) return 0;
  const options = arg as { port?: unknown } | null;
  return typeof options === "object" && options?.port === 3000 ? { ...options, port: 0 } : arg;
}
