import type { RequestOptions, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connection } from "./connection.ts";

/** How clients reach a server: in memory, by TCP on the loopback, or by a Unix socket. */
export type TransportName = "memory" | "tcp" | "unix";

/** A connection path to a server. */
export interface Transport {
  /** Returns what a client connects to; `peer` is its address, if that can be chosen. */
  dial(peer: string | undefined): RequestOptions;
  close(): Promise<void>;
}

/** Opens a server to clients. */
export async function transportTo(server: Server, name: TransportName): Promise<Transport> {
  if (name === "memory") {
    return {
      dial: (peer) => ({ createConnection: () => connection(server, peer) }),
      close: async () => {},
    };
  }
  const path = join(tmpdir(), `spillway-${process.pid}-${sockets++}.sock`);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (name === "unix") server.listen(path, resolve);
    else server.listen(0, "127.0.0.1", resolve);
  });
  return {
    dial: () =>
      name === "unix"
        ? { agent: false, socketPath: path }
        : { agent: false, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

let sockets = 0;
